// Leads requests to public nodes of chains to this server. Required before a program of Node, by NODE_OPTIONS.
"use strict";
const http = require("node:http");
const https = require("node:https");
const { syncBuiltinESMExports } = require("node:module");

const targets = new Map(Object.entries(JSON.parse(process.env.MOCKSERVER_REDIRECTED)));
const find = (host) => targets.get(host) ?? targets.get(String(host).replace(/:\d+$/, ""));

function redirected(address) {
  const url = new URL(address);
  const target = find(url.host);
  if (target === undefined) return undefined;
  return url.protocol.startsWith("ws") ? target.replace(/^http/, "ws") : target;
}

const { fetch } = globalThis;
globalThis.fetch = function redirectedFetch(input, init) {
  const target = redirected(input instanceof Request ? input.url : input);
  if (target === undefined) return fetch(input, init);
  return fetch(input instanceof Request ? new Request(target, input) : target, init);
};

if (globalThis.WebSocket !== undefined) {
  const { WebSocket } = globalThis;
  globalThis.WebSocket = class extends WebSocket {
    constructor(address, ...more) {
      super(redirected(address) ?? address, ...more);
    }
  };
}

// What `request` takes: a URL, options, both; and a listener.
function redirectRequest(original) {
  return function request(...given) {
    const [first, second] = given;
    const url = typeof first === "string" || first instanceof URL ? new URL(first) : undefined;
    const options = url === undefined ? first : typeof second === "object" && second !== null ? second : {};
    const target = find(options.host ?? options.hostname ?? url?.host);
    if (target === undefined) return original.apply(this, given);
    const { hostname, port, pathname } = new URL(target);
    const { host, agent, createConnection, servername, ...kept } = options;
    const headers = { ...kept.headers, host: `${hostname}:${port}` };
    const listener = given.find((each) => typeof each === "function");
    const method = { method: kept.method ?? "GET" };
    return plainRequest({ ...kept, ...method, headers, protocol: "http:", hostname, port, path: pathname }, listener);
  };
}

const plainRequest = http.request;
for (const module of [http, https]) {
  const request = redirectRequest(module.request);
  module.request = request;
  module.get = function get(...given) {
    const started = request(...given);
    started.end();
    return started;
  };
}
syncBuiltinESMExports();
