// Runs the examples that a version of the Node SDK ships, unmodified, each in a project of its own, and prints how each
// ended as JSON: null, or what it failed with. Stand-ins play the nodes of chains.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { transform } from "esbuild";

import { chainNode } from "./chain_node.mjs";
import { strangers } from "./guard.mjs";
import { browser } from "./js_client.mjs";
import { backendWithWallets } from "./node_client.mjs";
import { Mock } from "./play.mjs";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const EXAMPLES = join(HERE, "node_modules/@openfort/openfort-node/examples");
const BASE_SEPOLIA = 84532;
const BLOCKHASH = "4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM";

const directFetch = globalThis.fetch;
let evmNode;

/** What goes to the public nodes of chains goes to the stand-ins. */
globalThis.fetch = async (target, options) => {
  const { hostname } = new URL(target.url ?? target);
  if (hostname === "api.devnet.solana.com") return solanaAnswer(JSON.parse(options.body));
  if (hostname === "sepolia.base.org") return directFetch(evmNode.url, { method: "POST", body: await bodyOf(target, options) });
  return directFetch(target, options);
};

const bodyOf = async (target, options) => options?.body ?? (await target.text());

function solanaAnswer({ id }) {
  const value = { blockhash: BLOCKHASH, lastValidBlockHeight: 1 };
  return new Response(JSON.stringify({ jsonrpc: "2.0", id, result: { context: { slot: 1 }, value } }));
}

const exit = process.exit.bind(process);

/** The examples exit when they are called wrongly, and this process has more to run. */
process.exit = (code) => {
  throw new Error(`it exits with ${code}`);
};

/** What an example finds around it: keys in the environment, and a user or a token behind its name. */
async function setUp(mock, path) {
  const { walletSecret } = await backendWithWallets(mock);
  const { user, token } = await browser(mock).auth.signUpGuest();
  process.argv.splice(2, Infinity, path.endsWith("getSession.ts") ? token : user.id);
  Object.assign(process.env, {
    OPENFORT_API_KEY: mock.secretKey,
    OPENFORT_SECRET_KEY: mock.secretKey,
    OPENFORT_PUBLISHABLE_KEY: mock.publishableKey,
    OPENFORT_WALLET_SECRET: walletSecret.secret,
    OPENFORT_BASE_URL: mock.url,
    CHAIN_ID: "80002",
    APP_PORT: String(await freePort()),
  });
  evmNode = await chainNode(mock, BASE_SEPOLIA);
}

async function freePort() {
  const server = createServer();
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address();
  await new Promise((closed) => server.close(closed));
  return port;
}

async function run(path) {
  const { code } = await transform(readFileSync(join(EXAMPLES, path), "utf8"), { loader: "ts", format: "esm" });
  const script = join(HERE, `${path.replaceAll("/", "-")}.mjs`);
  writeFileSync(script, code);
  const mock = await Mock.begin();
  await setUp(mock, path);
  try {
    await import(script);
    if (path.startsWith("webhook/")) await deliver(mock);
    return null;
  } catch (error) {
    return `${error.name}: ${error.message}`;
  } finally {
    evmNode.close();
  }
}

/** The example is a server, to which the mock sends a webhook. */
async function deliver(mock) {
  const target = `http://127.0.0.1:${process.env.APP_PORT}/webhook/openfort`;
  await mock.api("POST", "/v1/subscriptions", { topic: "test", triggers: [{ target, type: "webhook" }] });
  await mock.api("POST", "/v1/subscriptions/test");
  const { data } = await mock.control("GET", "/webhooks/deliveries?status=succeeded&wait=5");
  if (data.length !== 1) throw new Error("the webhook was not taken");
}

const paths = readdirSync(EXAMPLES, { recursive: true, encoding: "utf8" })
  .map((path) => path.replaceAll("\\", "/"))
  .filter((path) => path.endsWith(".ts"))
  .sort();
const talk = console.log;
for (const channel of ["log", "info", "error", "warn"]) console[channel] = () => {};
const ended = {};
for (const path of paths) ended[path] = await run(path);
talk(JSON.stringify({ examples: ended, strangers: [...strangers] }));
// One of the examples is a server, which would go on.
exit(0);
