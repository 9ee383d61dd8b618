import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

import { ControlApiError, MockServer } from "wallet-api-double";

import { api, CONTRACT, payment, project, server, WALLET } from "./server.js";

const OUTAGE = { name: "outage", rules: [{ name: "away", when: "GetContracts", then: { answer: 503 } }] };

test("a project has keys that follow from its name, and shares nothing with others", async () => {
  const cart = await project({ name: "cart", settings: { one_time_code: "123456" } });
  assert.deepEqual([cart.secretKey, cart.publishableKey], ["sk_test_cart", "pk_test_cart"]);
  await api(cart, "POST", "/v1/contracts", CONTRACT);
  const other = await project();
  assert.equal((await api(other, "GET", "/v1/contracts")).body.total, 0);
  assert.equal((await (await server()).project("sk_test_cart")).id, cart.id);
  await cart.delete();
  await cart.delete();
  const left = await (await server()).projects();
  assert.ok(!left.some(({ id }) => id === cart.id));
});

test("the control API is called where a test replaces fetch, and jsdom is the environment", async (t) => {
  const cart = await project();
  await api(cart, "GET", "/v1/contracts");
  t.mock.getter(URLSearchParams.prototype, "size", () => undefined);
  t.mock.method(globalThis, "fetch", () => Promise.reject(new Error("no network in tests")));
  await cart.load({ ...OUTAGE, rules: [] });
  await assert.rejects(cart.clock.advance({ to: "2020-01-01T00:00:00Z" }), /409/);
  await assert.rejects((await server()).recording(cart), /There is no recording/);
  assert.ok(await (await server()).ready());
  assert.deepEqual(await cart.journal.list({ status: 500 }), []);
  await cart.delete();
  assert.equal(globalThis.fetch.mock.callCount(), 0);
});

test("the clock is moved, frozen and let go", async () => {
  const { clock } = await project({ clock: "2030-06-01T12:00:00Z" });
  assert.deepEqual(await clock.advance(60), []);
  assert.equal(await clock.now(), "2030-06-01T12:01:00.000Z");
  assert.equal(await clock.nowS(), Date.parse("2030-06-01T12:01:00Z") / 1000);
  await clock.advance({ to: new Date("2030-07-01T00:00:00Z") });
  await clock.tick(60);
  await clock.freeze("2030-08-01T00:00:00Z");
  assert.equal(await clock.now(), "2030-08-01T00:00:00.000Z");
  await assert.rejects(clock.advance({ to: "2020-01-01T00:00:00Z" }), /409/);
  await assert.rejects(clock.advance("1h"), /advance takes seconds, such as 3600, or a time, .* not "1h"/);
  await assert.rejects(project({ clock: "noon" }), /"noon" is no clock: frozen, ticking, now, or a time/);
});

test("a clock begins now, or where its members say", async () => {
  const now = await project({ clock: "now" });
  assert.ok(Math.abs((await now.clock.nowS()) * 1000 - Date.now()) < 5_000);
  const fast = await project({ clock: { mode: "ticking", rate: 60 } });
  assert.equal((await fast.call("GET", "/clock")).rate, 60);
});

test("a handler takes a webhook, and what it throws is a failed attempt", async () => {
  const shop = await project();
  const target = "https://shop.example/hooks";
  const bodies = [];
  let answer = () => 503;
  await assert.rejects(
    shop.webhooks.subscribe(target, "tset"),
    /^ControlApiError: 400: given:.*: topic: Input should be/,
  );
  await assert.rejects(shop.webhooks.subscribe("shop.example/hooks", "test"), /target: must be a URL/);
  await shop.webhooks.subscribe(target, "test", async (request) => {
    bodies.push(await request.text());
    return answer();
  });
  await api(shop, "POST", "/v1/subscriptions/test");
  const [busy] = await shop.webhooks.deliver();
  assert.deepEqual([busy.status, busy.attempts[0].answered], ["waiting", 503]);
  answer = () => new Response("taken");
  const [taken] = await shop.webhooks.deliver(busy.id);
  assert.deepEqual([taken.status, taken.attempts[1].response], ["succeeded", "taken"]);
  answer = () => {
    throw new Error("no stock");
  };
  await assert.rejects(shop.webhooks.redeliver(taken.id), /no stock/);
  assert.equal(new Set(bodies).size, 1);
});

test("an inbox has what came, and whether it was altered", async () => {
  const shop = await project();
  await shop.webhooks.subscribe(shop.webhooks.inbox("orders"), ["test"]);
  assert.equal(await shop.journal.count(), 0);
  await shop.webhooks.fate({ outcome: "corrupted" });
  await api(shop, "POST", "/v1/subscriptions/test");
  await api(shop, "POST", "/v1/subscriptions/test");
  assert.deepEqual(
    (await shop.webhooks.received("orders")).map(({ verified }) => verified),
    [false, true],
  );
  assert.equal((await shop.webhooks.wait({ topic: "test" })).status, "succeeded");
  await assert.rejects(
    shop.webhooks.wait({ topic: "user.created", timeoutMs: 0 }),
    /there is test \(succeeded: 200\)/,
  );
  assert.match(await shop.webhooks.rotateSecret(), /^whsec_/);
});

test("a mail is in the outbox, and is waited for", async () => {
  const shop = await project();
  await assert.rejects(shop.outbox.latest({ to: "ada@example.com" }), {
    message: "the outbox holds no message to=ada@example.com; it holds nothing",
  });
  const asked = { email: "ada@example.com", type: "sign-in" };
  const waited = shop.outbox.wait({ to: "ada@example.com", timeoutMs: 5_000 });
  await api(shop, "POST", "/iam/v2/auth/email-otp/send-verification-otp", asked, shop.headers());
  assert.match((await waited).code ?? "", /^\d{6}$/);
  assert.deepEqual(await shop.outbox.list({ channel: "sms" }), []);
  await shop.outbox.clear();
  assert.deepEqual(await shop.outbox.list(), []);
});

test("the journal lists calls, and waits for one", async () => {
  const shop = await project();
  const waited = shop.journal.wait({ operation: "GetContract", timeoutMs: 5_000 });
  await api(shop, "GET", "/v1/contracts");
  await api(shop, "GET", "/v1/contracts/con_nowhere");
  assert.equal((await waited).status, 404);
  assert.deepEqual(
    (await shop.journal.list({ status: "4xx" })).map(({ n }) => n),
    [2],
  );
  assert.deepEqual([await shop.journal.count(), await shop.journal.lastNumber()], [2, 2]);
  await assert.rejects(shop.journal.wait({ operation: "CreateContract", timeoutMs: 10 }), {
    message:
      "no exchange fits operation=CreateContract; the latest are GET /v1/contracts 200, GET /v1/contracts/con_nowhere 404",
  });
  await shop.journal.clear();
  assert.equal(await shop.journal.count(), 0);
});

test("a scenario is loaded from an object, a text, a path and a URL", async () => {
  const place = await mkdtemp(join(tmpdir(), "scenario-"));
  await writeFile(join(place, "outage.yaml"), JSON.stringify(OUTAGE));
  const url = pathToFileURL(join(place, "outage.yaml"));
  for (const source of [OUTAGE, JSON.stringify(OUTAGE, null, 1), "outage.yaml", url]) {
    const shop = await project();
    shop.places = [place];
    const loaded = await shop.load(source);
    assert.deepEqual(shop.loaded, [loaded.id]);
    const answer = await fetch(`${shop.url}/v1/contracts`, {
      headers: { authorization: `Bearer ${shop.secretKey}` },
    });
    assert.equal(answer.status, 503);
  }
  const shop = await project();
  shop.places = [place];
  await writeFile(join(place, "latin.yaml"), Buffer.from("name: caf\xe9\nrules: []", "latin1"));
  await assert.rejects(shop.load("latin.yaml"), /latin\.yaml:1:1: is not UTF-8/);
  for (const name of ["nowhere.yaml", ""]) {
    await assert.rejects(shop.load(name), new RegExp(`there is no scenario file ${name} in `));
  }
  await rm(place, { recursive: true });
});

test("a scenario with a mistake is refused, with its place and the nearest name", async () => {
  const shop = await project();
  const error = await shop.load("rules: [{wen: GetContracts, then: {answer: 503}}]").catch((error) => error);
  assert.ok(error instanceof ControlApiError);
  assert.equal(error.status, 400);
  assert.match(error.message, /did you mean when\?/);
});

test("a fault loses the answer, and the call is done", async () => {
  const shop = await project();
  const fault = { connection_reset_by_peer: { effect: "done", times: 1 } };
  await shop.load({ rules: [{ name: "lost", when: "CreateContract", then: { fault } }] });
  await assert.rejects(api(shop, "POST", "/v1/contracts", CONTRACT), /fetch failed/);
  assert.equal((await api(shop, "GET", "/v1/contracts")).body.total, 1);
  assert.deepEqual(
    (await shop.journal.list()).map(({ rule }) => rule),
    ["lost", null],
  );
});

test("calls are counted and put in order by verification", async () => {
  const shop = await project();
  await shop.noInteractions();
  await api(shop, "POST", "/v1/contracts", CONTRACT);
  await api(shop, "GET", "/v1/contracts");
  assert.equal(await shop.verify("CreateContract", { body: { name: "Token" }, exactly: 1 }), 1);
  assert.equal(await shop.verify({ call: ["CreateContract", "GetContracts"] }, { at_least: 2 }), 2);
  await shop.verifySequence(["CreateContract", { call: "GetContracts" }]);
  await assert.rejects(shop.verify("CreateContract", { body: { name: "Coin" }, between: [2, 3] }), {
    name: "VerificationError",
    message:
      "expected between 2 and 3 calls of CreateContract with name 'Coin' in the body, found 0\n" +
      "  #1 CreateContract: name in the body is 'Token'; expected 'Coin'",
  });
  await assert.rejects(shop.noInteractions(), { name: "VerificationError" });
  await assert.rejects(shop.verify("CreateContrac"), ControlApiError);
});

test("a fate decides what becomes of a transaction", async () => {
  const shop = await project();
  await shop.load(WALLET);
  const fate = await shop.fate({ outcome: "reverted", reason: "paused" });
  assert.deepEqual(
    (await shop.fates()).map(({ id }) => id),
    [fate.id],
  );
  const { body } = await api(shop, "POST", "/v2/transactions", await payment(shop));
  assert.deepEqual([body.status, body.receipt.error.reason], ["reverted", "paused"]);
  assert.deepEqual(await shop.fates(), []);
  assert.ok((await shop.decisions(body.id)).sending);
});

test("a contract is deployed, and says why it reverts", async () => {
  const shop = await project();
  await shop.load(WALLET);
  // Creation code that returns runtime code, which reverts with the selector of Never().
  const bytecode = "0x600c600a5f39600c5ff363" + "0c1b3e0b" + "5f5260046" + "01cfd";
  const abi = [{ type: "error", name: "Never", inputs: [] }];
  const door = await shop.deploy({ abi, bytecode }, { chainId: 80002, name: "Door" });
  const call = { ...(await payment(shop)), calls: [{ to: door.address, data: "0x01020304" }] };
  const { body } = await api(shop, "POST", "/v2/transactions", call);
  assert.equal(body.status, "reverted");
  const { calls, failure } = await shop.trace(body.id);
  assert.deepEqual([calls.length, failure?.startsWith("reverted in Door")], [1, true]);
});

test("a revert of a file's contract names the line of its source", async () => {
  const shop = await project();
  await shop.load(WALLET);
  const file = new URL("../../../examples/contracts/out/Token.sol/Token.json", import.meta.url);
  const token = await shop.deploy(file, { chainId: 80002, args: ["Gold", "GLD", "3"] });
  const [functionName, functionArgs] = ["transfer", [`0x${"11".repeat(20)}`, "10"]];
  const calls = [{ contractId: token.contract_id, functionName, functionArgs }];
  const { body } = await api(shop, "POST", "/v2/transactions", { ...(await payment(shop)), calls });
  assert.match(
    (await shop.trace(body.id)).failure ?? "",
    /^reverted in Token.transfer \(src\/Token.sol:19\): /,
  );
});

test("balances are set, and blocks taken back", async () => {
  const shop = await project();
  const there = `0x${"cd".repeat(20)}`;
  await shop.fund(80002, there, { balance_wei: 10n ** 18n });
  assert.equal((await shop.holdings(80002, there)).balance_wei, "1000000000000000000");
  await shop.load(WALLET);
  await api(shop, "POST", "/v2/transactions", await payment(shop));
  assert.ok(await shop.reorganize(80002));
});

test("a budget is read and set", async () => {
  const shop = await project();
  const rules = [{ action: "accept", operation: "sponsorEvmTransaction", criteria: [] }];
  const policy = (await api(shop, "POST", "/v2/policies", { scope: "project", rules })).body;
  const asked = { policyId: policy.id, strategy: { sponsorSchema: "pay_for_user" } };
  const { id } = (await api(shop, "POST", "/v2/fee-sponsorship", asked)).body;
  assert.equal((await shop.budget(id)).budget_wei, null);
  assert.equal((await shop.budget(id, 10n ** 18n)).budget_wei, String(10n ** 18n));
  assert.equal((await shop.budget(id, null)).budget_wei, null);
});

test("a user's account is signed for, and a session passes multi-factor authentication", async () => {
  const shop = await project();
  const who = { name: "Ada", email: "ada@example.com", password: "correct horse" };
  const { user, token } = (await api(shop, "POST", "/iam/v2/auth/sign-up/email", who, shop.headers())).body;
  const owned = { user: user.id, accountType: "Externally Owned Account", chainType: "EVM" };
  const account = (await api(shop, "POST", "/v2/accounts", owned)).body;
  assert.match(await shop.sign(account.id, { message: "hello" }), /^0x[0-9a-f]{130}$/);
  assert.ok(await shop.passMfa(token));
  assert.equal((await api(shop, "GET", "/iam/v2/me", undefined, shop.headers(token))).body.email, who.email);
});

test("announced keys are those of the next imports", async () => {
  const [announced] = await (await project()).announceImports(["11".repeat(32)]);
  assert.match(announced?.address ?? "", /^0x/);
});

test("a snapshot is restored, and a project reset, forked and sent back in time", async () => {
  const shop = await project();
  const before = await shop.snapshot("before");
  assert.equal(before, "before");
  const { id } = (await api(shop, "POST", "/v1/contracts", CONTRACT)).body;
  await api(shop, "POST", "/v1/contracts", { ...CONTRACT, address: `0x${"cd".repeat(20)}` });
  assert.deepEqual(
    (await shop.differences(1)).map(({ change }) => change),
    ["created"],
  );
  const fork = await shop.fork(1, "forked");
  assert.deepEqual(
    (await api(fork, "GET", "/v1/contracts")).body.data.map((row) => row.id),
    [id],
  );
  await shop.travel(1);
  assert.equal((await api(shop, "GET", "/v1/contracts")).body.total, 1);
  await shop.restore(before);
  assert.equal((await api(shop, "GET", "/v1/contracts")).body.total, 0);
  await shop.reset();
  assert.equal((await shop.change({ one_time_code: "123456" })).one_time_code, "123456");
  await assert.rejects(shop.change(/** @type {any} */ ({ one_time_cod: "1" })), /did you mean one_time_code/);
});

test("the server is recorded, and the recording has every call", async () => {
  const control = await server();
  const shop = await project({ name: "recorded" });
  const [one, other] = await Promise.all([project(), project()]);
  await control.startRecording({ projects: [one] });
  for (const each of [one, other]) await api(each, "GET", "/v1/contracts");
  const own = new TextDecoder().decode(await control.stopRecording(one));
  assert.ok(own.includes(one.secretKey) && !own.includes(other.secretKey));
  await control.startRecording({ mask: true });
  await api(shop, "GET", "/v1/contracts/con_nowhere");
  const lines = new TextDecoder()
    .decode(await control.stopRecording())
    .trim()
    .split("\n");
  assert.ok(lines.some((line) => JSON.parse(line) && line.includes("/v1/contracts/con_nowhere")));
  assert.ok((await control.recording()).length > 0);
});

test("a request to backend wallets is signed", async () => {
  const shop = await project();
  const path = "/v2/accounts/backend?a=1";
  const body = { chainType: "EVM" };
  const unsigned = await api(shop, "POST", path, body);
  assert.equal(unsigned.body.error.code, "wallet_auth_missing");
  const token = await shop.walletAuth("POST", path, JSON.stringify(body));
  assert.equal((await api(shop, "POST", path, body, { "x-wallet-auth": token })).status, 200);
});

test("undeclared keys are counted", async () => {
  const control = await server();
  await api({ url: control.url, secretKey: "sk_test_nobody" }, "GET", "/v1/contracts");
  const [found] = (await control.undeclaredProjects()).filter(
    ({ secret_key }) => secret_key === "sk_test_nobody",
  );
  assert.equal(found?.calls, 1);
});

test("a server is found by the environment, and one that is not there is not ready", async () => {
  const { url } = await server();
  process.env.MOCKSERVER_URL = `${url}/`;
  try {
    assert.equal(new MockServer().url, url);
    assert.ok(await new MockServer().ready());
  } finally {
    delete process.env.MOCKSERVER_URL;
  }
  assert.throws(() => new MockServer(), /set MOCKSERVER_URL/);
  assert.ok(!(await new MockServer({ url: "http://127.0.0.1:9" }).ready()));
});
