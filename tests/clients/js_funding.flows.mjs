// Money from another chain or an exchange, as a page in a browser asks for it.

import assert from "node:assert/strict";

import { browser } from "./js_client.mjs";
import { flow, only, refusal } from "./play.mjs";

// Older versions have no funding.
only({ since: "1.6.0" });

const HERE = `0x${"11".repeat(20)}`;
const USDC = "0x036CbD53842c5426634e7929541eC2318f3dCF7e";
const target = { chain: "eip155:84532", currency: USDC, address: HERE };
const source = { chain: "eip155:80002", currency: `0x${"00".repeat(20)}`, amount: String(10n ** 16n) };
const paymentMethod = { type: "evm", source };
const SOON = { pollMs: 5, timeoutMs: 10_000 };

const pay = (mock, { id }, payment = {}) => mock.control("POST", `/funding/sessions/${id}/pay`, payment);

async function balance(mock) {
  const { tokens } = await mock.control("GET", `/chains/84532/addresses/${HERE}`);
  return tokens.find(({ contract }) => contract === USDC)?.balance ?? "0";
}

flow("a payment from another chain arrives", async (mock) => {
  const { sessions } = browser(mock).funding;
  const made = await sessions.create({ target, metadata: { order: "7" }, externalId: "order-7" });
  assert.deepEqual([made.status, made.metadata.order], ["requires_payment_method", "7"]);
  assert.equal((await sessions.create({ target, externalId: "order-7" })).id, made.id);

  const waiting = await sessions.setPaymentMethod(made.id, { paymentMethod });
  assert.deepEqual([waiting.status, waiting.paymentMethod.cex], ["waiting_payment", null]);
  assert.ok(waiting.paymentMethod.addressUri.includes(waiting.paymentMethod.receiverAddress));
  assert.equal((await sessions.get(made.id)).status, "waiting_payment");

  await pay(mock, made);
  assert.equal((await sessions.wait(made.id, SOON)).status, "succeeded");
  // A hundredth of a coin of 2,500 dollars, in a token of six decimals.
  assert.equal(await balance(mock), "25000000");
});

flow("a payment that is too little bounces", async (mock) => {
  const { sessions } = browser(mock).funding;
  const made = await sessions.create({ target, paymentMethod, amountUnits: "7000000" });
  await pay(mock, made, { amount: "1" });
  assert.equal((await sessions.wait(made.id, SOON)).status, "bounced");
  assert.equal(await balance(mock), "0");
});

flow("one call makes a session and waits until it is paid, of which a webhook tells", async (mock) => {
  const triggers = [{ target: `${mock.url}/_mock/projects/${mock.id}/inbox/shop`, type: "webhook" }];
  await mock.api("POST", "/v1/subscriptions", { topic: "funding.session.updated", triggers });
  const funded = browser(mock).funding.fund({ target, paymentMethod, wait: SOON });
  const table = async () => (await mock.control("GET", "/tables/funding.sessions")).data;
  let rows = [];
  while (rows.length === 0) rows = await table();
  await pay(mock, rows[0]);
  const { id, status } = await funded;
  assert.deepEqual([id, status], [rows[0].id, "succeeded"]);
  const { data } = await mock.control("GET", "/inbox/shop?wait=5");
  assert.deepEqual([data.at(-1).payload.data.id, data.at(-1).payload.data.status], [id, "succeeded"]);
});

flow("a link to an exchange leads to a page that pays", async (mock) => {
  const { payLink, sessions } = browser(mock).funding;
  const made = await sessions.create({ target });
  const url = await payLink({ sessionId: made.id, amount: "25" });
  assert.match(await (await fetch(url)).text(), /25/);
  const form = new URLSearchParams({ amount: "25", decision: "pay" });
  assert.ok((await fetch(url, { method: "POST", body: form })).ok);
  assert.equal((await sessions.wait(made.id, SOON)).status, "succeeded");
  assert.equal(await balance(mock), "25000000");
});

flow("a session is open to those who have its secret", async (mock) => {
  const { id, clientSecret } = await browser(mock).funding.sessions.create({ target });
  const { sessions } = browser(mock).funding;
  assert.match((await refusal(sessions.get(id))).message, /clientSecret/);
  assert.equal((await sessions.get(id, { clientSecret })).id, id);
  await refusal(sessions.get(id, { clientSecret: "another" }));
});

flow("the chains that can be paid from have currencies", async (mock) => {
  const chains = await browser(mock).funding.chains();
  // The client asks for main networks.
  const base = chains.find(({ id }) => id === "eip155:8453");
  assert.ok(base.currencies.some(({ symbol, decimals }) => symbol === "USDC" && decimals === 6));
  assert.ok(chains.every(({ currencies }) => currencies.filter(({ native }) => native).length === 1));
});
