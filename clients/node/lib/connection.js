// HTTP clients of the control API: of a server, and of one project.

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
    const text = await (await this.#send(method, path, asked)).text();
    return text ? JSON.parse(text) : null;
  }

  /**
   * What the control API answers that is no JSON, or ControlApiError.
   *
   * @param {string} path
   * @param {Readonly<Record<string, unknown>>} [params]
   */
  async fetch(path, params = {}) {
    return new Uint8Array(await (await this.#send("GET", path, { params })).arrayBuffer());
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {Asked} asked
   */
  async #send(method, path, { json, text, type, params, headers }) {
    const body = json === undefined ? text : JSON.stringify(json);
    const response = await fetch(`${this.url}${path}${queryOf(params)}`, {
      method,
      headers: {
        ...(this.controlToken && { [TOKEN_HEADER]: this.controlToken }),
        ...(body !== undefined && { "content-type": type ?? "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body }),
    });
    if (response.ok) return response;
    throw new ControlApiError(response.status, problemOf(await response.text()));
  }
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
  return query.size ? `?${query}` : "";
}

/**
 * @param {string} text
 * @returns {Partial<Problem>}
 */
function problemOf(text) {
  try {
    const problem = JSON.parse(text);
    return problem !== null && typeof problem === "object" ? problem : {};
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
