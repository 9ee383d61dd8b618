// The server that the tests of a file share.

import { after } from "node:test";

import { startServer } from "wallet-api-double";

/** @type {Promise<import("wallet-api-double").StartedServer> | undefined} */
let started;

after(async () => (await started)?.stop());

/** The server; it is started when a test first needs it. */
export function server() {
  return (started ??= startServer());
}

/** A new project. @param {import("wallet-api-double").ProjectOptions} [options] */
export async function project(options) {
  return (await server()).createProject(options);
}

/** A call of the API with the secret key of a project. */
export async function api(project, method, path, body, headers = {}) {
  const sent = {
    "content-type": "application/json",
    authorization: `Bearer ${project.secretKey}`,
    ...headers,
  };
  const answer = await fetch(`${project.url}${path}`, {
    method,
    headers: sent,
    body: body && JSON.stringify(body),
  });
  return { status: answer.status, headers: answer.headers, body: await answer.json() };
}

export const CONTRACT = { name: "Token", chainId: 80002, address: `0x${"ab".repeat(20)}` };
export const WALLET = { given: [{ call: "createBackendWallet", body: { chainType: "EVM" }, as: "wallet" }] };

/** What a payment from the wallet of the scenario asks for. */
export async function payment(project, members = {}) {
  const { wallet } = await project.captured();
  const calls = [{ to: `0x${"ab".repeat(20)}`, value: "1" }];
  return { chainId: 80002, accountId: wallet.id, calls, ...members };
}
