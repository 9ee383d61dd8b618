/** The variable with the control token, which servers beyond loopback need. */
export const TOKEN_VARIABLE: "MOCKSERVER_CONTROL_TOKEN";
/**
 * @typedef {object} Asked
 * @property {unknown} [json]
 * @property {string | Uint8Array} [text] a body that is no JSON, with its type
 * @property {string} [type] that of `text`
 * @property {Readonly<Record<string, unknown>>} [params] the query; members that are undefined are left out, a list is repeated
 * @property {Readonly<Record<string, string>>} [headers]
 */
/** The control API answered an error: its `status`, and its `problem` details (RFC 9457). */
export class ControlApiError extends Error {
    /**
     * @param {number} status
     * @param {Partial<Problem>} problem
     */
    constructor(status: number, problem: Partial<Problem>);
    status: number;
    problem: Partial<{
        type: string;
        title: string;
        status: number;
        detail: string;
        docs?: string;
        param?: string;
        errors?: {
            [key: string]: {
                [key: string]: unknown;
            };
        };
    }>;
}
/** Calls the control API of a server. */
export class Connection {
    /**
     * @param {string} url
     * @param {string} [controlToken]
     */
    constructor(url: string, controlToken?: string);
    url: string;
    controlToken: string | undefined;
    /**
     * One call: the JSON of its answer, null for one without a body, or ControlApiError.
     *
     * @param {string} method
     * @param {string} path
     * @param {Asked} [asked]
     * @returns {Promise<any>}
     */
    call(method: string, path: string, asked?: Asked): Promise<any>;
    /**
     * What the control API answers that is no JSON, or ControlApiError.
     *
     * @param {string} path
     * @param {Readonly<Record<string, unknown>>} [params]
     */
    fetch(path: string, params?: Readonly<Record<string, unknown>>): Promise<Uint8Array<ArrayBuffer>>;
    #private;
}
/** Calls the part of the control API that is about one project. */
export class ProjectConnection {
    /**
     * @param {Connection} server
     * @param {string} projectId
     */
    constructor(server: Connection, projectId: string);
    server: Connection;
    /** How the paths of the project begin. */
    path: string;
    /**
     * One call, with a path relative to the project's.
     *
     * @param {string} method
     * @param {string} path
     * @param {Asked} [asked]
     * @returns {Promise<any>}
     */
    call(method: string, path: string, asked?: Asked): Promise<any>;
    /**
     * The entries of a list, all of them unless limited; waits for a first one for so many milliseconds.
     *
     * @param {string} path
     * @param {Readonly<Record<string, unknown>>} [filters]
     * @param {number} [timeoutMs]
     * @returns {Promise<any[]>}
     */
    entries(path: string, filters?: Readonly<Record<string, unknown>>, timeoutMs?: number): Promise<any[]>;
}
export type Asked = {
    json?: unknown;
    /**
     * a body that is no JSON, with its type
     */
    text?: string | Uint8Array<ArrayBufferLike> | undefined;
    /**
     * that of `text`
     */
    type?: string | undefined;
    /**
     * the query; members that are undefined are left out, a list is repeated
     */
    params?: Readonly<Record<string, unknown>> | undefined;
    headers?: Readonly<Record<string, string>> | undefined;
};
import type { Problem } from "./entries.js";
