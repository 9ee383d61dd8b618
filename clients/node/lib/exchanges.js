// Exchanges of a journal as lines of the report of a failed test.

import { abridge } from "./abridge.js";

/** @import { WholeExchange } from "./entries.js" */

const FIRST_ERROR = 400;
const MASK = "…";
/** Headers that tell nothing about a call. */
const USUAL = new Set([
  // Of requests.
  "accept",
  "accept-encoding",
  "accept-language",
  "connection",
  "host",
  "sec-fetch-mode",
  "user-agent",
  // Of both.
  "content-length",
  "x-request-id",
  // Of answers; what the lines say without them.
  "date",
  "server",
  "transfer-encoding",
  "vary",
  "x-mockserver-hint",
  "x-mockserver-rule",
]);

/**
 * A call in some lines: its status, hints, headers that matter, bodies cut to what tells something.
 *
 * Headers are shown that have another key than the project's secret one.
 *
 * @param {WholeExchange} entry
 * @param {string} secretKey
 */
export function describe(entry, secretKey) {
  const lines = [`${numberOf(entry)}  ${nameExchange(entry)}${causes(entry)}`];
  lines.push(...entry.hints.map((hint) => `      hint ${hint}`));
  for (const [sign, side] of /** @type {const} */ ([
    [">", "request"],
    ["<", "response"],
  ])) {
    const { headers, body } = entry[side];
    const telling = tellingHeaders(headers, secretKey);
    if (telling.length) lines.push(`      ${sign} ${telling.join("; ")}`);
    if (body !== null && body !== undefined) lines.push(`      ${sign} ${abridge(body)}`);
  }
  return lines;
}

/**
 * Whether the client got an error, or no whole answer.
 *
 * @param {WholeExchange} entry
 */
export function isError({ status, fault }) {
  return status === 0 || status >= FIRST_ERROR || fault !== null;
}

/**
 * A call with an error in one line: which, and what the answer says about it.
 *
 * @param {WholeExchange} entry
 */
export function describeError(entry) {
  const body = /** @type {any} */ (entry.response.body);
  const error = body?.error ?? body;
  const said = [error?.code, error?.message].filter(Boolean).map(String).join(": ");
  const text = `${numberOf(entry)}  ${nameExchange(entry)}${causes(entry)}`;
  return said ? `${text}  ${said}` : text;
}

/** @param {WholeExchange} entry */
function numberOf({ n }) {
  return String(n).padStart(4);
}

/**
 * Method, target and status, such as `GET /v1/contracts?limit=1  200`.
 *
 * @param {WholeExchange} entry
 */
function nameExchange({ method, path, query, status }) {
  return `${method} ${query ? `${path}?${query}` : path}  ${status || "no answer"}`;
}

/**
 * The rule that decided, and what it made go wrong.
 *
 * @param {WholeExchange} entry
 */
function causes({ rule, fault }) {
  return `${rule ? `  rule ${rule}` : ""}${fault ? `  fault ${fault}` : ""}`;
}

/**
 * @param {Record<string, string>} headers
 * @param {string} secretKey
 */
function tellingHeaders(headers, secretKey) {
  return Object.entries(headers)
    .filter(
      ([name, value]) =>
        !USUAL.has(name) &&
        !name.startsWith("access-control-") &&
        !(name === "content-type" && value.startsWith("application/json")) &&
        !(name === "authorization" && isOwn(value, secretKey)),
    )
    .map(([name, value]) => `${name}: ${value}`);
}

/**
 * @param {string} authorization
 * @param {string} secretKey
 */
function isOwn(authorization, secretKey) {
  const text = authorization.slice(authorization.indexOf(" ") + 1);
  return text.endsWith(MASK) && secretKey.startsWith(text.slice(0, -MASK.length));
}
