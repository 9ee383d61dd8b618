/** Requests as commands for a shell. */

import { base, tokenHeader } from "./api.js";

const LEFT_OUT = new Set(["host", "content-length", "connection", "accept-encoding", "transfer-encoding"]);

/** A text as one word of a POSIX shell. @param {string} text */
export function quote(text) {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** A call of the control API. @param {import("./api.js").Made} made */
export function callAsCurl(made) {
  const parts = ["curl", ...(made.method === "GET" ? [] : ["-X", made.method]), quote(made.url)];
  if (tokenHeader()["x-mockserver-token"]) parts.push('-H "X-Mockserver-Token: $MOCKSERVER_CONTROL_TOKEN"');
  if (made.type) parts.push("-H", quote(`Content-Type: ${made.type}`));
  if (made.body !== null) parts.push("--data-binary", quote(made.body));
  return parts.join(" ");
}

/** A request of the journal, to be sent again. @param {any} exchange */
export function exchangeAsCurl(exchange) {
  const server = new URL("..", base).href.replace(/\/$/, "");
  const query = exchange.query ? `?${exchange.query}` : "";
  const parts = ["curl", ...(exchange.method === "GET" ? [] : ["-X", exchange.method])];
  parts.push(quote(`${server}${encodeURI(exchange.path)}${query}`));
  for (const [name, value] of Object.entries(exchange.request.headers)) {
    if (!LEFT_OUT.has(name)) parts.push(`\\\n  -H ${quote(`${name}: ${value}`)}`);
  }
  const body = exchange.request.body;
  if (body !== null)
    parts.push(`\\\n  --data-binary ${quote(typeof body === "string" ? body : JSON.stringify(body))}`);
  return parts.join(" ");
}
