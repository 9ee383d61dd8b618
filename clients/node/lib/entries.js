// Names for the types of the control API, which control-api.d.ts has from its OpenAPI document.

/** @typedef {import("../control-api.js").components["schemas"]} Schemas */
/** @typedef {import("../control-api.js").operations} Operations */
/** @typedef {import("../operations.js").OperationId} OperationId */

/** @typedef {Schemas["ProjectAnswer"]} ProjectEntry */
/** @typedef {Schemas["ExchangeAnswer"]} Exchange */
/** @typedef {Required<Pick<Exchange, "request" | "response" | "effects">> & Exchange} WholeExchange */
/** @typedef {Schemas["MessageAnswer"]} Message */
/** @typedef {Schemas["DeliveryAnswer"]} Delivery */
/** @typedef {Schemas["SetDeliveryFate"]} DeliveryFate */
/** @typedef {Schemas["FiredAnswer"]} Fired */
/** @typedef {Schemas["FateAnswer"]} Fate */
/** @typedef {Schemas["ScenarioAnswer"]} LoadedScenario */
/** @typedef {Schemas["NearMiss"]} NearMiss */
/** @typedef {Schemas["RowChangeAnswer"]} RowChange */
/** @typedef {Schemas["BudgetAnswer"]} Budget */
/** @typedef {Schemas["AddressAnswer"]} Holdings */
/** @typedef {Schemas["ReorganizationAnswer"]} Reorganization */
/** @typedef {Schemas["DecisionsAnswer"]} Decisions */
/** @typedef {Schemas["AssuranceAnswer"]} Assurance */
/** @typedef {Schemas["AnnouncedKeyAnswer"]} AnnouncedKey */
/** @typedef {Schemas["ReportSection"]} ReportSection */
/** @typedef {Required<Schemas["Settings"]>} Settings */
/** @typedef {Schemas["Problem"]} Problem */

/**
 * @template T
 * @typedef {T extends unknown ? Omit<T, "count"> & { count?: number | null } : never} Countable
 */

/**
 * What becomes of a transaction: its `outcome`, the options of that outcome, and which transactions it takes.
 *
 * @typedef {Countable<Schemas["Successful"] | Schemas["Reverted"] | Schemas["Failed"] | Schemas["Dropped"]
 *   | Schemas["Expired"] | Schemas["Replaced"] | Schemas["Reorged"] | Schemas["NeverMined"]
 *   | Schemas["SolanaConfirmed"] | Schemas["SolanaFailed"] | Schemas["SolanaExpired"]>} FateSpec
 */

/** @typedef {Omit<NonNullable<Operations["ListOutbox"]["parameters"]["query"]>, "wait">} OutboxFilters */

/** @typedef {Omit<NonNullable<Operations["ListDeliveries"]["parameters"]["query"]>, "wait">} DeliveryFilters */

/**
 * @typedef {Omit<NonNullable<Operations["ListJournal"]["parameters"]["query"]>, "wait" | "status" | "operation">
 *   & { status?: number | string, operation?: OperationId }} JournalFilters
 */

/**
 * A value that a header or a member has to have, or a test of it, such as `{matches: "^T"}`.
 *
 * @typedef {unknown} ValueTest
 */

/**
 * Which calls are meant: an operation id, a method and a path, such as `GET /v1/contracts/*`, or `*` for all.
 *
 * @typedef {OperationId | `${"GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD" | "*"} /${string}` | "*"} CallName
 */

/**
 * Which calls are meant, as in the `when` of a rule: `call` is an operation id, or a method and path, or several of
 * which any will do; the rest are tests by name or path.
 *
 * @typedef {object} CallMatcher
 * @property {CallName | readonly CallName[]} [call]
 * @property {Readonly<Record<string, ValueTest>>} [headers]
 * @property {Readonly<Record<string, ValueTest>>} [query]
 * @property {Readonly<Record<string, ValueTest>>} [body]
 */

/**
 * @typedef {"connection_reset_by_peer" | "empty_response" | "random_data_then_close" | "malformed_response_chunk"
 *   | "timeout" | "server_error" | "truncate_body" | "slow_response" | "wrong_content_length" | "wrong_content_type"
 *   | "malformed_json" | "duplicate_request"} FaultName
 */

/**
 * The options of a fault: `effect` says whether the call is done, `times`, `attempts` and `window` how long it lasts.
 * Each fault has more of its own.
 *
 * @typedef {{ effect?: "done" | "none", times?: number, attempts?: number, window?: string, [option: string]: unknown }}
 *   FaultOptions
 */

/**
 * What goes wrong with an answer: a fault by its name, or with its options.
 *
 * @typedef {FaultName | { [name in FaultName]?: FaultOptions }} Fault
 */

/**
 * What a rule does with the calls that it matches; a list of actions happens in order.
 *
 * @typedef {{ fault?: Fault, answer?: unknown, fate?: unknown, [action: string]: unknown }} Action
 */

/**
 * @typedef {object} Rule
 * @property {string} [name]
 * @property {CallName | readonly CallName[] | CallMatcher & { readonly [condition: string]: unknown }} when
 * @property {Action | readonly Action[]} then
 * @property {boolean} [optional] it need not fire
 */

/**
 * A scenario as an object, with the members of a scenario file.
 *
 * @typedef {{ name?: string, given?: readonly unknown[], rules?: readonly Rule[], [part: string]: unknown }} Scenario
 */

export {};
