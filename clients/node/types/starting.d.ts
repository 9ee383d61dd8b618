/// <reference lib="esnext.disposable" preserve="true" />
/**
 * Start a server on a free port, and wait until it is ready.
 *
 * It runs `mockserver exec` with a command that lasts as long as this process, so no server is left behind.
 *
 * @param {StartOptions} [options]
 */
export function startServer({ command, timeoutMs, ...options }?: StartOptions): Promise<StartedServer>;
/**
 * The server of the environment (`MOCKSERVER_URL`), or else one that is started, and its end: what is started is stopped.
 *
 * @param {StartOptions} [options]
 * @returns {Promise<{ server: MockServer, close: () => Promise<void> }>}
 */
export function openServer(options?: StartOptions): Promise<{
    server: MockServer;
    close: () => Promise<void>;
}>;
/**
 * How a server is started.
 *
 * @typedef {object} StartOptions
 * @property {string} [clock] `frozen` unless given; `ticking`, or a time to be frozen at
 * @property {string} [seed] the seed of all randomness
 * @property {readonly string[]} [scenarios] files for the default project, or directories of them
 * @property {readonly string[]} [arguments] more options of `mockserver exec`
 * @property {readonly string[]} [command] the program; the first that is found of those of the README
 * @property {number} [timeoutMs] how long it may take to be ready; 30 seconds
 */
/** A server that this process started. It ends with `stop()`, or with the process, however that ends. */
export class StartedServer extends MockServer {
    /**
     * @param {Child} child
     * @param {{ url: string, controlToken?: string }} place
     */
    constructor(child: Child, place: {
        url: string;
        controlToken?: string;
    });
    /** End the server, idempotently. */
    stop(): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
    #private;
}
export type Child = ChildProcessByStdio<Writable, Readable, Readable>;
/**
 * How a server is started.
 */
export type StartOptions = {
    /**
     * `frozen` unless given; `ticking`, or a time to be frozen at
     */
    clock?: string | undefined;
    /**
     * the seed of all randomness
     */
    seed?: string | undefined;
    /**
     * files for the default project, or directories of them
     */
    scenarios?: readonly string[] | undefined;
    /**
     * more options of `mockserver exec`
     */
    arguments?: readonly string[] | undefined;
    /**
     * the program; the first that is found of those of the README
     */
    command?: readonly string[] | undefined;
    /**
     * how long it may take to be ready; 30 seconds
     */
    timeoutMs?: number | undefined;
};
import { MockServer } from "./client.js";
import type { Writable } from "node:stream";
import type { Readable } from "node:stream";
import type { ChildProcessByStdio } from "node:child_process";
