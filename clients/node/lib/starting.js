/// <reference lib="esnext.disposable" preserve="true" />
// Starting a server, which ends with the process that started it.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

import { MockServer } from "./client.js";
import { TOKEN_VARIABLE } from "./connection.js";
import { URL_VARIABLE } from "./environment.js";
import { findCommand, HOW_TO_GET_IT } from "./finding.js";

/** @import { ChildProcessByStdio } from "node:child_process" */
/** @import { Readable, Writable } from "node:stream" */

/** @typedef {ChildProcessByStdio<Writable, Readable, Readable>} Child */

const KEEPER = fileURLToPath(new URL("keeper.js", import.meta.url));
const START_LIMIT_MS = 30_000;
const STOP_LIMIT_MS = 10_000;

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
  #child;

  /**
   * @param {Child} child
   * @param {{ url: string, controlToken?: string }} place
   */
  constructor(child, place) {
    super(place);
    this.#child = child;
  }

  /** End the server, idempotently. */
  async stop() {
    const child = this.#child;
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.ref();
    const ended = once(child, "exit");
    child.stdin.end();
    const limit = setTimeout(() => child.kill("SIGKILL"), STOP_LIMIT_MS);
    await ended;
    clearTimeout(limit);
  }

  async [Symbol.asyncDispose]() {
    await this.stop();
  }
}

/**
 * Start a server on a free port, and wait until it is ready.
 *
 * It runs `mockserver exec` with a command that lasts as long as this process, so no server is left behind.
 *
 * @param {StartOptions} [options]
 */
export async function startServer({ command, timeoutMs = START_LIMIT_MS, ...options } = {}) {
  const [program, ...first] = command ?? (await findCommand()) ?? [];
  if (program === undefined)
    throw new Error(`${HOW_TO_GET_IT}\nOr name a server that runs by ${URL_VARIABLE}.`);
  const child = spawn(program, [...first, ...argumentsOf(options)], {
    stdio: ["pipe", "pipe", "pipe"],
    // Where the server is comes from the server that is started, and from no other.
    env: { ...process.env, [URL_VARIABLE]: undefined },
  });
  const place = await placeOf(child, timeoutMs);
  return new StartedServer(release(child), place);
}

/**
 * The server of the environment (`MOCKSERVER_URL`), or else one that is started, and its end: what is started is stopped.
 *
 * @param {StartOptions} [options]
 * @returns {Promise<{ server: MockServer, close: () => Promise<void> }>}
 */
export async function openServer(options) {
  if (!process.env[URL_VARIABLE]) {
    const started = await startServer(options);
    return { server: started, close: () => started.stop() };
  }
  const server = new MockServer();
  if (!(await server.ready())) throw new Error(`no mock server is ready at ${server.url} (${URL_VARIABLE})`);
  return { server, close: async () => {} };
}

/** @param {Omit<StartOptions, "command" | "timeoutMs">} options */
function argumentsOf({ clock = "frozen", seed, scenarios = [], arguments: more = [] }) {
  return [
    "exec",
    ...["--clock", clock],
    ...(seed === undefined ? [] : ["--seed", seed]),
    ...scenarios.flatMap((path) => ["--scenario", path]),
    ...more,
    ...["--", process.execPath, KEEPER],
  ];
}

/**
 * Where the server is, once it is ready.
 *
 * @param {Child} child
 * @param {number} timeoutMs
 * @returns {Promise<{ url: string, controlToken?: string }>}
 */
function placeOf(child, timeoutMs) {
  return new Promise((resolve, reject) => {
    let [printed, errors] = ["", ""];
    const limit = setTimeout(() => {
      child.kill();
      reject(new Error(`the server is not ready after ${timeoutMs} ms\n${errors}`));
    }, timeoutMs);
    child.stdin.on("error", () => {});
    child.stderr.setEncoding("utf8").on("data", (text) => (errors += text));
    child.stdout.setEncoding("utf8").on("data", (text) => {
      printed += text;
      if (!printed.includes("\n")) return;
      clearTimeout(limit);
      const { [URL_VARIABLE]: url, [TOKEN_VARIABLE]: controlToken } = JSON.parse(printed);
      resolve({ url, controlToken });
    });
    child.on("error", (error) => {
      clearTimeout(limit);
      reject(error);
    });
    child.on("close", (status) => {
      clearTimeout(limit);
      reject(new Error(`the server ended with ${status}\n${errors}`));
    });
  });
}

/**
 * The child, for which this process does not wait when it has nothing else to do.
 *
 * @param {Child} child
 */
function release(child) {
  child.stdout.removeAllListeners("data").resume();
  child.stderr.removeAllListeners("data").pipe(process.stderr, { end: false });
  child.unref();
  // In Bun they are no sockets, and keep no process from ending.
  for (const stream of /** @type {any[]} */ ([child.stdin, child.stdout, child.stderr])) stream.unref?.();
  return child;
}
