// Loaded before anything else (node --import): the clients may reach this machine and no other.

import { subscribe } from "node:diagnostics_channel";
import dns from "node:dns";
import net from "node:net";

const HERE = new Set(["127.0.0.1", "::1", "localhost"]);

/** Whom a client tried to reach although it is not on this machine. */
export const strangers = new Set();

/** Method and path of every request, whichever way it is sent. */
export const asked = new Set();
const note = ({ request }) => asked.add(`${request.method} ${request.path.split("?")[0]}`);
subscribe("http.client.request.start", note);
subscribe("undici:request:create", note);

const refused = (host) => {
  strangers.add(host);
  return Object.assign(new Error(`${host} is not to be reached from here`), { code: "ECONNREFUSED" });
};

const connect = net.Socket.prototype.connect;
net.Socket.prototype.connect = function (...given) {
  // Node itself passes its normalized arguments on, as one array.
  const [target, second] = Array.isArray(given[0]) ? given[0] : given;
  const host = target?.host ?? (typeof target === "object" ? "localhost" : typeof second === "string" ? second : "localhost");
  if (HERE.has(host)) return connect.apply(this, given);
  process.nextTick(() => this.destroy(refused(host)));
  return this;
};

const lookup = dns.lookup;
dns.lookup = (host, ...rest) => {
  if (HERE.has(host)) return lookup(host, ...rest);
  rest.at(-1)(refused(host));
};
