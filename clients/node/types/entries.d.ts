export type Schemas = import("../control-api.js").components["schemas"];
export type Operations = import("../control-api.js").operations;
export type OperationId = import("../operations.js").OperationId;
export type ProjectEntry = Schemas["ProjectAnswer"];
export type Exchange = Schemas["ExchangeAnswer"];
export type WholeExchange = Required<Pick<Exchange, "request" | "response" | "effects">> & Exchange;
export type Message = Schemas["MessageAnswer"];
export type Delivery = Schemas["DeliveryAnswer"];
export type DeliveryFate = Schemas["SetDeliveryFate"];
export type Fired = Schemas["FiredAnswer"];
export type Fate = Schemas["FateAnswer"];
export type LoadedScenario = Schemas["ScenarioAnswer"];
export type NearMiss = Schemas["NearMiss"];
export type RowChange = Schemas["RowChangeAnswer"];
export type Budget = Schemas["BudgetAnswer"];
export type Holdings = Schemas["AddressAnswer"];
export type Reorganization = Schemas["ReorganizationAnswer"];
export type Decisions = Schemas["DecisionsAnswer"];
export type Assurance = Schemas["AssuranceAnswer"];
export type AnnouncedKey = Schemas["AnnouncedKeyAnswer"];
export type ReportSection = Schemas["ReportSection"];
export type Settings = Required<Schemas["Settings"]>;
export type Problem = Schemas["Problem"];
export type Countable<T> = T extends unknown ? Omit<T, "count"> & {
    count?: number | null;
} : never;
/**
 * What becomes of a transaction: its `outcome`, the options of that outcome, and which transactions it takes.
 */
export type FateSpec = Countable<Schemas["Successful"] | Schemas["Reverted"] | Schemas["Failed"] | Schemas["Dropped"] | Schemas["Expired"] | Schemas["Replaced"] | Schemas["Reorged"] | Schemas["NeverMined"] | Schemas["SolanaConfirmed"] | Schemas["SolanaFailed"] | Schemas["SolanaExpired"]>;
export type OutboxFilters = Omit<NonNullable<Operations["ListOutbox"]["parameters"]["query"]>, "wait">;
export type DeliveryFilters = Omit<NonNullable<Operations["ListDeliveries"]["parameters"]["query"]>, "wait">;
export type JournalFilters = Omit<NonNullable<Operations["ListJournal"]["parameters"]["query"]>, "wait" | "status" | "operation"> & {
    status?: number | string;
    operation?: OperationId;
};
/**
 * A value that a header or a member has to have, or a test of it, such as `{matches: "^T"}`.
 */
export type ValueTest = unknown;
/**
 * Which calls are meant: an operation id, a method and a path, such as `GET /v1/contracts/*`, or `*` for all.
 */
export type CallName = OperationId | `${"GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD" | "*"} /${string}` | "*";
/**
 * Which calls are meant, as in the `when` of a rule: `call` is an operation id, or a method and path, or several of
 * which any will do; the rest are tests by name or path.
 */
export type CallMatcher = {
    call?: CallName | readonly CallName[] | undefined;
    headers?: Readonly<Record<string, unknown>> | undefined;
    query?: Readonly<Record<string, unknown>> | undefined;
    body?: Readonly<Record<string, unknown>> | undefined;
};
export type FaultName = "connection_reset_by_peer" | "empty_response" | "random_data_then_close" | "malformed_response_chunk" | "timeout" | "server_error" | "truncate_body" | "slow_response" | "wrong_content_length" | "wrong_content_type" | "malformed_json" | "duplicate_request";
/**
 * The options of a fault: `effect` says whether the call is done, `times`, `attempts` and `window` how long it lasts.
 * Each fault has more of its own.
 */
export type FaultOptions = {
    effect?: "done" | "none";
    times?: number;
    attempts?: number;
    window?: string;
    [option: string]: unknown;
};
/**
 * What goes wrong with an answer: a fault by its name, or with its options.
 */
export type Fault = FaultName | { [name in FaultName]?: FaultOptions; };
/**
 * What a rule does with the calls that it matches; a list of actions happens in order.
 */
export type Action = {
    fault?: Fault;
    answer?: unknown;
    fate?: unknown;
    [action: string]: unknown;
};
export type Rule = {
    name?: string | undefined;
    when: CallName | readonly CallName[] | (CallMatcher & {
        readonly [condition: string]: unknown;
    });
    then: Action | readonly Action[];
    /**
     * it need not fire
     */
    optional?: boolean | undefined;
};
/**
 * A scenario as an object, with the members of a scenario file.
 */
export type Scenario = {
    name?: string;
    given?: readonly unknown[];
    rules?: readonly Rule[];
    [part: string]: unknown;
};
