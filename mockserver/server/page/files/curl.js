/** Requests as commands for a shell. */

import { server, tokenHeader } from "./api.js";

/** What one argument can have on Linux, of characters of three bytes. */
const LONGEST_ARGUMENT = 40_000;
const LEFT_OUT = new Set(["host", "content-length", "connection", "accept-encoding", "transfer-encoding"]);

/** A text as one word of a POSIX shell. @param {string} text */
export function quote(text) {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** How curl is told the method. @param {string} method @param {boolean} hasBody */
function methodOf(method, hasBody) {
  // Told to use HEAD by -X, curl waits for a body; and with a body it sends POST unless told otherwise.
  if (method === "HEAD") return ["--head"];
  return method === "GET" && !hasBody ? [] : ["-X", quote(method)];
}

/** A call of the control API. @param {import("./api.js").Made} made */
export function callAsCurl(made) {
  const parts = ["curl", ...methodOf(made.method, made.body !== null), quote(made.url)];
  if (tokenHeader()["x-mockserver-token"]) parts.push('-H "X-Mockserver-Token: $MOCKSERVER_CONTROL_TOKEN"');
  if (made.type) parts.push("-H", quote(`Content-Type: ${made.type}`));
  if (made.body !== null) parts.push("--data-raw", quote(made.body));
  return parts.join(" ");
}

/** A request of the journal, to be sent again. @param {any} exchange */
export function exchangeAsCurl(exchange) {
  const query = exchange.query ? `?${exchange.query}` : "";
  const { headers, body } = exchange.request;
  // Slashes that were encoded still are.
  const path = exchange.path.split(/%2F/i).map(encode).join("%2F");
  // Brackets in an address are no ranges, dots no way up, and a body that begins with @ is no file.
  const parts = ["curl --globoff --path-as-is", ...methodOf(exchange.method, body !== null)];
  parts.push(quote(`${server}${path}${query}`));
  for (const [name, value] of Object.entries(headers)) {
    // Of a header that is empty curl sends none, unless it ends in a semicolon.
    if (!LEFT_OUT.has(name)) parts.push(`\\\n  -H ${quote(value ? `${name}: ${value}` : `${name};`)}`);
  }
  // Without this curl says that the body is a form.
  if (body !== null && !("content-type" in headers)) parts.push("-H content-type:");
  if (body === null) return parts.join(" ");
  const text = quote(typeof body === "string" ? body : JSON.stringify(body));
  if (text.length > LONGEST_ARGUMENT) return `printf %s ${text} | ${parts.join(" ")} --data-binary @-`;
  return `${parts.join(" ")} \\\n  --data-raw ${text}`;
}

/** @param {string} path */
function encode(path) {
  return encodeURI(path).replace(/[?#]/g, encodeURIComponent);
}
