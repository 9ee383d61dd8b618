/**
 * Calls of the control API, which is all that the page does. Each can be shown as curl.
 *
 * @typedef {{ method: string, url: string, type: string | null, body: string | null }} Made
 * @typedef {Record<string, string | number | boolean | null | undefined>} Query
 * @typedef {{ query?: Query, json?: unknown, yaml?: string, signal?: AbortSignal }} Given
 */

const TOKEN = "mockserver-control-token";
const MOST_CALLS = 40;

/** The calls that were made last, newest first. @type {Made[]} */
export const calls = [];

/** `/_mock/`, below the prefix that the server is mounted under. */
export const base = new URL(".", location.href.split(/[?#]/)[0]);

/** The URL of the server, as clients are told it. */
export const server = new URL("..", base).href.replace(/\/$/, "");

/** What the server refused, as problem details (RFC 9457). */
export class Refused extends Error {
  /** @param {number} status @param {any} problem */
  constructor(status, problem) {
    super(problem?.detail || `The server answered ${status}.`);
    this.status = status;
    /** Such as `unknown_project`. */
    this.kind = String(problem?.type ?? "")
      .replace("urn:mockserver:", "")
      .replaceAll("-", "_");
    /** @type {Record<string, any>} */
    this.errors = problem?.errors ?? {};
  }
}

/** @returns {Record<string, string>} */
export function tokenHeader() {
  const token = sessionStorage.getItem(TOKEN);
  return token ? { "x-mockserver-token": token } : {};
}

/** @param {string} token */
export function keepToken(token) {
  sessionStorage.setItem(TOKEN, token);
}

/** The URL of a call. @param {string} path @param {Query} [query] */
export function urlOf(path, query = {}) {
  const url = new URL(path, base);
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined && value !== "" && value !== false)
      url.searchParams.set(name, String(value));
  }
  return url;
}

/**
 * Make a call, and return what it answers; `Refused` for an error.
 *
 * @param {string} method
 * @param {string} path below `/_mock/`
 * @param {Given} [given]
 * @returns {Promise<any>}
 */
export async function call(method, path, given = {}) {
  const url = urlOf(path, given.query);
  const type =
    given.yaml !== undefined ? "application/yaml" : given.json !== undefined ? "application/json" : null;
  const body = given.yaml ?? (given.json === undefined ? null : JSON.stringify(given.json));
  remember({ method, url: url.href, type, body });
  const headers = { ...tokenHeader(), ...(type ? { "content-type": type } : {}) };
  const response = await fetch(url, { method, headers, body, signal: given.signal });
  const text = await response.text();
  const answer = parse(text);
  if (!response.ok) throw new Refused(response.status, answer);
  return answer;
}

/** @param {string} path @param {Query} [query] @param {AbortSignal} [signal] */
export function get(path, query, signal) {
  return call("GET", path, { query, signal });
}

/** @param {string} project @param {string} [path] */
export function ofProject(project, path = "") {
  return `projects/${encodeURIComponent(project)}${path}`;
}

/** @param {string} text */
function parse(text) {
  try {
    return text ? JSON.parse(text, exactly) : null;
  } catch {
    return null;
  }
}

/**
 * A number that JavaScript would round stays the text that it was, where the browser can keep it: an amount of wei.
 *
 * @param {string} _name
 * @param {unknown} value
 * @param {{ source?: string }} [context]
 */
function exactly(_name, value, context) {
  const isExact = typeof value !== "number" || Number.isSafeInteger(value) || !Number.isInteger(value);
  return isExact || !context?.source ? value : exactNumber(context.source);
}

/** A whole number of any size, as JSON has it. @param {string} digits @returns {unknown} */
export function exactNumber(digits) {
  const { rawJSON } = /** @type {any} */ (JSON);
  return rawJSON ? rawJSON(digits) : Number(digits);
}

/** @param {Made} made */
function remember(made) {
  const same = calls.findIndex(
    (each) => each.method === made.method && each.url === made.url && each.body === made.body,
  );
  if (same >= 0) calls.splice(same, 1);
  calls.unshift(made);
  calls.length = Math.min(calls.length, MOST_CALLS);
}
