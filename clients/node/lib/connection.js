// HTTP clients of the control API: of a server, and of one project.

import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { buffer } from "node:stream/consumers";

/** @import { IncomingMessage } from "node:http" */
/** @import { Problem } from "./entries.js" */

const TOKEN_HEADER = "x-mockserver-token";
const EVERYTHING = 1_000_000;

/** The variable with the control token, which servers beyond loopback need. */
export const TOKEN_VARIABLE = "MOCKSERVER_CONTROL_TOKEN";

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
  constructor(status, problem) {
    super(`${status}: ${problem.detail ?? JSON.stringify(problem)}${findings(problem)}`);
    this.name = "ControlApiError";
    this.status = status;
    this.problem = problem;
  }
}

/** Calls the control API of a server. */
export class Connection {
  /**
   * @param {string} url
   * @param {string} [controlToken]
   */
  constructor(url, controlToken) {
    this.url = url.replace(/\/+$/, "");
    this.controlToken = controlToken;
  }

  /**
   * One call: the JSON of its answer, null for one without a body, or ControlApiError.
   *
   * @param {string} method
   * @param {string} path
   * @param {Asked} [asked]
   * @returns {Promise<any>}
   */
  async call(method, path, asked = {}) {
    const body = await this.#send(method, path, asked);
    return body.length ? JSON.parse(body.toString()) : null;
  }

  /**
   * What the control API answers that is no JSON, or ControlApiError.
   *
   * @param {string} path
   * @param {Readonly<Record<string, unknown>>} [params]
   */
  async fetch(path, params = {}) {
    return new Uint8Array(await this.#send("GET", path, { params }));
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {Asked} asked
   */
  async #send(method, path, { json, text, type, params, headers }) {
    const body = json === undefined ? text : JSON.stringify(json, bigintsAsText);
    const { status, answered } = await send(`${this.url}${path}${queryOf(params)}`, method, body, {
      ...(this.controlToken && { [TOKEN_HEADER]: this.controlToken }),
      ...(body !== undefined && { "content-type": type ?? "application/json" }),
      ...headers,
    }).catch((cause) => {
      // That of a name with several addresses has no message, and none has a line of the test.
      const reason = cause.message || cause.code;
      throw new Error(`the mock server at ${this.url} does not answer: ${reason}`, { cause });
    });
    if (status >= 200 && status < 300) return answered;
    throw new ControlApiError(status, problemOf(answered.toString()));
  }
}

/**
 * Send a request, not by `fetch`: tests replace it, jsdom of jest has none, and that of happy-dom asks who may read.
 *
 * @param {string} url
 * @param {string} method
 * @param {string | Uint8Array | undefined} body
 * @param {Readonly<Record<string, string>>} headers
 */
async function send(url, method, body, headers) {
  const request = url.startsWith("https:") ? requestHttps : requestHttp;
  /** @type {IncomingMessage} */
  const response = await new Promise((resolve, reject) => {
    request(url, { method, headers }, resolve).on("error", reject).end(body);
  });
  return { status: response.statusCode ?? 0, answered: await buffer(response) };
}

/** Calls the part of the control API that is about one project. */
export class ProjectConnection {
  /**
   * @param {Connection} server
   * @param {string} projectId
   */
  constructor(server, projectId) {
    this.server = server;
    /** How the paths of the project begin. */
    this.path = `/_mock/projects/${projectId}`;
  }

  /**
   * One call, with a path relative to the project's.
   *
   * @param {string} method
   * @param {string} path
   * @param {Asked} [asked]
   * @returns {Promise<any>}
   */
  call(method, path, asked) {
    return this.server.call(method, this.path + path, asked);
  }

  /**
   * The entries of a list, all of them unless limited; waits for a first one for so many milliseconds.
   *
   * @param {string} path
   * @param {Readonly<Record<string, unknown>>} [filters]
   * @param {number} [timeoutMs]
   * @returns {Promise<any[]>}
   */
  async entries(path, filters = {}, timeoutMs = 0) {
    const params = { limit: EVERYTHING, ...filters, wait: timeoutMs ? timeoutMs / 1000 : undefined };
    return (await this.call("GET", path, { params })).data;
  }
}

/** @param {Readonly<Record<string, unknown>>} [params] */
function queryOf(params = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (value === undefined || value === null) continue;
    for (const each of [value].flat()) query.append(name, String(each));
  }
  return `${query}` && `?${query}`;
}

/**
 * @param {string} text
 * @returns {Partial<Problem>}
 */
function problemOf(text) {
  try {
    const problem = JSON.parse(text);
    if (problem === null || typeof problem !== "object") return {};
    // An error of the API itself has an envelope.
    return { detail: problem.error?.message, ...problem };
  } catch {
    return {};
  }
}

/**
 * All findings of a problem, one per line; its detail has only the first.
 *
 * @param {Partial<Problem>} problem
 */
function findings({ errors }) {
  const found = Object.entries(errors ?? {});
  if (found.length === 1) return "";
  return found
    .map(([place, { message, nearest }]) => {
      const hint = nearest ? ` (did you mean ${nearest}?)` : "";
      return `\n  ${place.replace(/\++$/, "")}: ${message}${hint}`;
    })
    .join("");
}

/**
 * Amounts are texts in the control API, and bigints in viem.
 *
 * @param {string} _name
 * @param {unknown} value
 */
function bigintsAsText(_name, value) {
  return typeof value === "bigint" ? value.toString() : value;
}
