/// <reference lib="esnext.disposable" preserve="true" />
/** @import { Asked, Connection } from "./connection.js" */
/** @import * as Entries from "./entries.js" */
/** @import { ScenarioSource } from "./scenario-files.js" */
/**
 * How many calls there have to be, at least one unless said otherwise. `since` counts only calls after that exchange of
 * the journal; `within`, such as `5s`, waits so long in real time for enough calls.
 *
 * @typedef {object} Count
 * @property {number} [exactly]
 * @property {number} [at_least]
 * @property {number} [at_most]
 * @property {readonly [number, number]} [between]
 * @property {boolean} [never]
 * @property {number} [since]
 * @property {string} [within]
 */
/** A project of a mock server: URL and keys for clients, and control of its state. */
export class MockProject {
    /**
     * @param {Connection} server
     * @param {Entries.ProjectEntry} answer
     */
    constructor(server: Connection, answer: Entries.ProjectEntry);
    id: string;
    name: string;
    secretKey: string;
    publishableKey: string;
    livemode: boolean;
    clock: MockClock;
    outbox: MockOutbox;
    journal: MockJournal;
    webhooks: MockWebhooks;
    /**
     * Directories where scenario files are looked for before the working directory.
     *
     * @type {readonly string[]}
     */
    places: readonly string[];
    /** What a scenario is called in messages that is no file. */
    inlineName: string;
    /**
     * The ids of the scenarios that `load` loaded.
     *
     * @type {string[]}
     */
    loaded: string[];
    /** The base URL for a client of the API. */
    get url(): string;
    /**
     * The secret that signs `X-Wallet-Auth`: base64 of its PKCS#8, registered with the project.
     *
     * @returns {Promise<string>}
     */
    walletSecret(): Promise<string>;
    /**
     * Sign a request with the wallet secret: the token for its header `X-Wallet-Auth`. The body is what is sent.
     *
     * @param {string} method
     * @param {string} path
     * @param {string} [body]
     * @returns {Promise<string>}
     */
    walletAuth(method: string, path: string, body?: string): Promise<string>;
    /** The environment variables that the official clients and `MockServer` read. */
    env(): Promise<Record<string, string>>;
    /**
     * The credentials of a user's client: the publishable key, and a session's token when signed in.
     *
     * @param {string} [token]
     */
    headers(token?: string): {
        "x-project-key": string;
        authorization: string;
    };
    /**
     * One call to this project's part of the control API; `path` is relative to it.
     *
     * @param {string} method
     * @param {string} [path]
     * @param {Asked} [asked]
     * @returns {Promise<any>}
     */
    call(method: string, path?: string, asked?: Asked): Promise<any>;
    /**
     * Load a scenario: a path, a URL of a file, the text itself, or an object. `captured` then has the captured answers.
     *
     * What a scenario `requires` has to be loaded before it.
     *
     * @param {ScenarioSource} scenario
     * @returns {Promise<Entries.LoadedScenario>}
     */
    load(scenario: ScenarioSource): Promise<Entries.LoadedScenario>;
    /**
     * The scenarios that are loaded, and how often each rule matched and fired.
     *
     * @returns {Promise<Entries.LoadedScenario[]>}
     */
    scenarios(): Promise<Entries.LoadedScenario[]>;
    /**
     * The answers that scenarios captured with `as`, by name; later scenarios override earlier ones.
     *
     * @returns {Promise<Record<string, any>>}
     */
    captured(): Promise<Record<string, any>>;
    /**
     * The scenario rules that an exchange, by default the latest, nearly matched, and the reasons.
     *
     * @param {number} [number]
     * @returns {Promise<Entries.NearMiss[]>}
     */
    nearMisses(number?: number): Promise<Entries.NearMiss[]>;
    /**
     * Assert how many calls arrived, at least one unless said otherwise; how many they are.
     *
     * VerificationError shows the closest calls.
     *
     * @param {Entries.CallMatcher["call"] | Entries.CallMatcher} call
     * @param {Omit<Entries.CallMatcher, "call"> & Count} [expected]
     */
    verify(call: Entries.CallMatcher["call"] | Entries.CallMatcher, expected?: Omit<Entries.CallMatcher, "call"> & Count): Promise<number>;
    /**
     * Assert that calls arrived in this order; others may have come in between.
     *
     * @param {readonly (Entries.CallName | Entries.CallMatcher)[]} calls
     * @param {Pick<Count, "since" | "within">} [options]
     */
    verifySequence(calls: readonly (Entries.CallName | Entries.CallMatcher)[], options?: Pick<Count, "since" | "within">): Promise<void>;
    /**
     * Assert that no call at all arrived.
     *
     * @param {Pick<Count, "since" | "within">} [options]
     */
    noInteractions(options?: Pick<Count, "since" | "within">): Promise<void>;
    /**
     * Set the fate of future transactions, or of one: `project.fate({ outcome: "reverted", reason: "paused" })`.
     *
     * @param {Entries.FateSpec} fate
     * @returns {Promise<Entries.Fate>}
     */
    fate(fate: Entries.FateSpec): Promise<Entries.Fate>;
    /**
     * The fates that are not used up, oldest first.
     *
     * @returns {Promise<Entries.Fate[]>}
     */
    fates(): Promise<Entries.Fate[]>;
    /**
     * The budget of a fee sponsorship, in wei. Sets it first if `wei` is given; null for no limit.
     *
     * @param {string} sponsorshipId
     * @param {bigint | number | null} [wei]
     * @returns {Promise<Entries.Budget>}
     */
    budget(sponsorshipId: string, wei?: bigint | number | null): Promise<Entries.Budget>;
    /**
     * Set the balances of an address: `balance_wei`, and `tokens`. Its state on the chain.
     *
     * @param {number} chainId
     * @param {string} address
     * @param {Entries.Schemas["SetAddress"]} balances
     * @returns {Promise<Entries.Holdings>}
     */
    fund(chainId: number, address: string, balances: Entries.Schemas["SetAddress"]): Promise<Entries.Holdings>;
    /**
     * Create a contract whose code is executed, from what Foundry, Hardhat or solc wrote: its path or URL, or what is in
     * the file. Returns its `address`, and the `contract_id` of its registration.
     *
     * @param {string | URL | { [member: string]: unknown }} source
     * @param {Entries.Schemas["DeployContract"] & { chainId: number }} options `args` are the constructor's
     * @returns {Promise<Entries.Schemas["DeployedAnswer"]>}
     */
    deploy(source: string | URL | {
        [member: string]: unknown;
    }, { chainId, ...members }: Entries.Schemas["DeployContract"] & {
        chainId: number;
    }): Promise<Entries.Schemas["DeployedAnswer"]>;
    /**
     * The `calls` that a transaction executed, and its `failure`: where and why it was reverted.
     *
     * @param {string} transactionId
     * @returns {Promise<Entries.Schemas["TraceAnswer"]>}
     */
    trace(transactionId: string): Promise<Entries.Schemas["TraceAnswer"]>;
    /**
     * The URL of a chain's node, for viem, ethers and other clients of nodes. It needs no key.
     *
     * @param {number} chainId
     * @returns {string}
     */
    rpcUrl(chainId: number): string;
    /**
     * Pay a funding session what is due, or an amount in the source's smallest unit, or let it bounce. The session.
     *
     * @param {string} sessionId
     * @param {Entries.Schemas["PayFundingSession"]} [payment]
     * @returns {Promise<Entries.Schemas["FundingSessionAnswer"]>}
     */
    pay(sessionId: string, payment?: Entries.Schemas["PayFundingSession"]): Promise<Entries.Schemas["FundingSessionAnswer"]>;
    /**
     * The state of an address on a chain: `balance_wei`, `tokens`, nonces.
     *
     * @param {number} chainId
     * @param {string} address
     * @returns {Promise<Entries.Holdings>}
     */
    holdings(chainId: number, address: string): Promise<Entries.Holdings>;
    /**
     * Replace the latest blocks of a chain by siblings.
     *
     * @param {number} chainId
     * @returns {Promise<Entries.Reorganization>}
     */
    reorganize(chainId: number, depth?: number): Promise<Entries.Reorganization>;
    /**
     * The decisions of policies and sponsorship about a transaction.
     *
     * @param {string} transactionId
     * @returns {Promise<Entries.Decisions>}
     */
    decisions(transactionId: string): Promise<Entries.Decisions>;
    /**
     * Sign as the account's owner: a `hash` (32 bytes in hex), a `message` (EIP-191), `typedData` (EIP-712), or a
     * `transaction` in hex. The signature in hex.
     *
     * @param {string} accountId
     * @param {Entries.Schemas["SignAsUser"]} what
     * @returns {Promise<string>}
     */
    sign(accountId: string, what: Entries.Schemas["SignAsUser"]): Promise<string>;
    /**
     * Mark a session, by its id or token, as having passed multi-factor authentication (AAL2).
     *
     * @param {string} session
     * @returns {Promise<Entries.Assurance>}
     */
    passMfa(session: string): Promise<Entries.Assurance>;
    /**
     * Announce the private keys of the next imports by official clients, instead of those announced before.
     *
     * @param {readonly string[]} privateKeys
     * @returns {Promise<Entries.AnnouncedKey[]>}
     */
    announceImports(privateKeys: readonly string[]): Promise<Entries.AnnouncedKey[]>;
    /**
     * Change settings; the others are unchanged. All of them.
     *
     * @param {Partial<Entries.Settings>} settings
     * @returns {Promise<Entries.Settings>}
     */
    change(settings: Partial<Entries.Settings>): Promise<Entries.Settings>;
    /**
     * Take a snapshot of the project; its id.
     *
     * @param {string} [name]
     * @returns {Promise<string>}
     */
    snapshot(name?: string): Promise<string>;
    /**
     * Restore a snapshot, any number of times.
     *
     * @param {string} snapshot
     */
    restore(snapshot: string): Promise<void>;
    /**
     * Create a project with the state that an exchange of this one left.
     *
     * @param {number} at
     * @param {string} [name]
     */
    fork(at: number, name?: string): Promise<MockProject>;
    /**
     * Go back to the state that an exchange left.
     *
     * @param {number} to
     */
    travel(to: number): Promise<void>;
    /**
     * The rows that differ between the states that two exchanges left, or one and the current state.
     *
     * @param {number} earlier
     * @param {number} [later]
     * @returns {Promise<Entries.RowChange[]>}
     */
    differences(earlier: number, later?: number): Promise<Entries.RowChange[]>;
    /** Reset the project to its keys, seed, settings and start-up scenarios. */
    reset(): Promise<void>;
    /** Delete the project and its keys, idempotently. */
    delete(): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
    #private;
}
/**
 * How many calls there have to be, at least one unless said otherwise. `since` counts only calls after that exchange of
 * the journal; `within`, such as `5s`, waits so long in real time for enough calls.
 */
export type Count = {
    exactly?: number | undefined;
    at_least?: number | undefined;
    at_most?: number | undefined;
    between?: readonly [number, number] | undefined;
    never?: boolean | undefined;
    since?: number | undefined;
    within?: string | undefined;
};
import { MockClock } from "./clock.js";
import { MockOutbox } from "./records.js";
import { MockJournal } from "./records.js";
import { MockWebhooks } from "./webhooks.js";
import type { Asked } from "./connection.js";
import type { ScenarioSource } from "./scenario-files.js";
import type * as Entries from "./entries.js";
import type { Connection } from "./connection.js";
