/**
 * What a project begins with. Without a `name` one is drawn; the keys and the seed follow from the name. `scopes` are
 * those of the secret key, `settings` those that are to be otherwise than usual.
 *
 * @typedef {object} ProjectOptions
 * @property {string} [name]
 * @property {string} [seed]
 * @property {boolean} [livemode]
 * @property {string} [secretKey]
 * @property {string} [publishableKey]
 * @property {readonly string[]} [scopes]
 * @property {Partial<Settings>} [settings]
 * @property {ClockStart} [clock]
 */
/** A client of the control API of a server that runs. */
export class MockServer {
    /**
     * The URL and the control token are those of the environment unless given: `MOCKSERVER_URL`, which
     * `mockserver exec` sets, and `MOCKSERVER_CONTROL_TOKEN`.
     *
     * @param {{ url?: string, controlToken?: string }} [options]
     */
    constructor({ url, controlToken }?: {
        url?: string;
        controlToken?: string;
    });
    /** The base URL of the server. */
    get url(): string;
    /** The control token, if the server needs one. */
    get controlToken(): string | undefined;
    /** Whether the server listens, and has loaded its start-up scenarios. */
    ready(): Promise<boolean>;
    /**
     * One call to the control API, such as `call("GET", "/_mock/health")`: its answer, or ControlApiError.
     *
     * @param {string} method
     * @param {string} path
     * @param {Asked} [asked]
     * @returns {Promise<any>}
     */
    call(method: string, path: string, asked?: Asked): Promise<any>;
    /**
     * Create a project.
     *
     * @param {ProjectOptions} [options]
     */
    createProject({ secretKey, publishableKey, clock, ...options }?: ProjectOptions): Promise<MockProject>;
    /**
     * The project of a key; an undeclared test key creates its project.
     *
     * @param {string} secretKey
     */
    project(secretKey: string): Promise<MockProject>;
    /** Every project, oldest first. */
    projects(): Promise<MockProject[]>;
    /** The projects that undeclared keys opened, with their `secret_key` and number of `calls`. */
    undeclaredProjects(): Promise<{
        id: string;
        name: string;
        secret_key: string;
        publishable_key: string;
        scopes: string[];
        livemode: boolean;
        declared: boolean;
        calls: number;
        seed: string;
        now: string;
        clock: import("../control-api.js").components["schemas"]["ClockAnswer"];
    }[]>;
    /**
     * Record every call of the server from now on, or those of some projects, beside other recordings.
     *
     * With `mask` placeholders stand for the secrets that clients bring along.
     *
     * @param {{ mask?: boolean, projects?: readonly MockProject[] }} [options]
     */
    startRecording({ mask, projects }?: {
        mask?: boolean;
        projects?: readonly MockProject[];
    }): Promise<void>;
    /**
     * End the recording, or that of a project, and return it: a file for `mockserver replay`.
     *
     * @param {MockProject} [project]
     */
    stopRecording(project?: MockProject): Promise<Uint8Array<ArrayBuffer>>;
    /**
     * What was recorded so far, or the last recording; of the server, or of a project.
     *
     * @param {MockProject} [project]
     */
    recording(project?: MockProject): Promise<Uint8Array<ArrayBuffer>>;
    #private;
}
/**
 * What a project begins with. Without a `name` one is drawn; the keys and the seed follow from the name. `scopes` are
 * those of the secret key, `settings` those that are to be otherwise than usual.
 */
export type ProjectOptions = {
    name?: string | undefined;
    seed?: string | undefined;
    livemode?: boolean | undefined;
    secretKey?: string | undefined;
    publishableKey?: string | undefined;
    scopes?: readonly string[] | undefined;
    settings?: Partial<Required<{
        email_verification_required?: boolean;
        auto_sign_in_after_verification?: boolean;
        get_session_answers_null?: boolean;
        anonymous_sign_in?: boolean;
        session_lifetime_ms?: number;
        short_session_lifetime_ms?: number;
        session_renewed_after_ms?: number;
        one_time_code_lifetime_ms?: number;
        link_lifetime_ms?: number;
        siwe_nonce_lifetime_ms?: number;
        access_token_lifetime_ms?: number | null;
        access_token_issuer?: string;
        access_token_audience?: string | null;
        one_time_code?: string | null;
        recovery_code_required?: boolean;
        trusted_origins?: string[] | null;
        rate_limits?: boolean;
        contract_wallets?: string[];
        password_min_length?: number;
        password_max_length?: number;
        aal2?: boolean;
        strict?: boolean;
        require_https?: boolean;
        unknown_chains?: "accept" | "refuse";
        default_chain_id?: number | null;
        starting_balance_wei?: number;
        sponsor_deposit_wei?: number;
        contract_gas_limit?: number;
        strict_token_balances?: boolean;
        chains?: {
            [key: string]: import("../control-api.js").components["schemas"]["ChainSettings"];
        };
        tokens?: {
            [key: string]: import("../control-api.js").components["schemas"]["TokenSettings"];
        };
        transaction_confirms_after_ms?: number;
        solana_confirms_after_ms?: number;
        solana_expires_after_ms?: number;
        wait_limit_ms?: number;
        idempotency_lifetime_ms?: number;
        expired_kept_ms?: number;
        pending_kept?: number;
        sessions_per_user?: number;
        settled_kept?: number;
        deleted_kept?: number;
        messages_kept?: number;
        webhook_secret?: string | null;
        webhook_hosts?: string[];
        webhook_delay_ms?: number;
        webhook_retries_ms?: number[];
        webhook_failures?: number;
        snapshots_kept?: number;
        native_price_usd?: string;
        ecosystems?: string[];
        social_providers?: ("google" | "apple" | "twitter" | "discord" | "facebook" | "epic_games" | "line" | "telegram")[] | null;
        sign_up_on_request?: ("google" | "apple" | "twitter" | "discord" | "facebook" | "epic_games" | "line" | "telegram")[];
        link_different_emails?: boolean;
        provider_keys?: {
            [key: string]: {
                [key: string]: unknown;
            }[];
        };
    }>> | undefined;
    clock?: ClockStart | undefined;
};
import type { Asked } from "./connection.js";
import { MockProject } from "./project.js";
import type { ClockStart } from "./clock.js";
