/** Requests as commands for a shell. */

import { base, tokenHeader } from "./api.js";

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
  const server = new URL("..", base).href.replace(/\/$/, "");
  const query = exchange.query ? `?${exchange.query}` : "";
  const { headers, body } = exchange.request;
  // Brackets in an address are no ranges, and a body that begins with @ is no file.
  const parts = ["curl --globoff", ...methodOf(exchange.method, body !== null)];
  parts.push(quote(`${server}${encodeURI(exchange.path)}${query}`));
  for (const [name, value] of Object.entries(headers)) {
    if (!LEFT_OUT.has(name)) parts.push(`\\\n  -H ${quote(`${name}: ${value}`)}`);
  }
  // Without this curl says that the body is a form.
  if (body !== null && !("content-type" in headers)) parts.push("-H content-type:");
  if (body !== null)
    parts.push(`\\\n  --data-raw ${quote(typeof body === "string" ? body : JSON.stringify(body))}`);
  return parts.join(" ");
}
