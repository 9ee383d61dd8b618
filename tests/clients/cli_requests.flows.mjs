// The requests of the official command-line tool, which is in no registry: made here exactly as it makes them.

import assert from "node:assert/strict";
import { createHash, generateKeyPairSync, randomBytes } from "node:crypto";

import { SignJWT } from "jose";

import { flow } from "./play.mjs";

/** One request with the secret key; the answer's JSON. */
async function ask(mock, method, path, body, headers = {}) {
  const answer = await fetch(`${mock.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${mock.secretKey}`, "content-type": "application/json", ...headers },
    body: body && JSON.stringify(body),
  });
  const text = await answer.text();
  return { status: answer.status, hint: answer.headers.get("x-mockserver-hint"), body: text ? JSON.parse(text) : null };
}

/** A key pair as the tool makes it: the public key in lines of 64 columns. */
function newKey() {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const lines = publicKey.export({ type: "spki", format: "der" }).toString("base64").match(/.{1,64}/g);
  return { privateKey, pem: ["-----BEGIN PUBLIC KEY-----", ...lines, "-----END PUBLIC KEY-----"].join("\n") };
}

/** The token that goes with a body: its claim names the path without a host. */
async function walletAuth({ privateKey }, method, path, body) {
  const sorted = JSON.stringify(body, Object.keys(body).sort());
  const now = Math.floor(Date.now() / 1000);
  return new SignJWT({ uris: [`${method} ${path}`], reqHash: createHash("sha256").update(sorted).digest("hex") })
    .setProtectedHeader({ alg: "ES256", typ: "JWT" })
    .setIssuedAt(now)
    .setNotBefore(now)
    .setJti(randomBytes(16).toString("hex"))
    .sign(privateKey);
}

/** A body with the proof that its sender has the new key. */
async function proven(key, path, body) {
  return { ...body, walletAuthToken: await walletAuth(key, "POST", path, body) };
}

const REGISTER = "/v2/accounts/backend/register-secret";
const ROTATE = "/v2/accounts/backend/rotate-secrets";
const REVOKE = "/v2/accounts/backend/revoke-secret";

/** `backend-wallet setup`: the secret is registered, and its id stored as a key of the project. */
async function setUp(mock) {
  const key = newKey();
  const keyId = `ws_${Date.now()}`;
  const registered = await ask(mock, "POST", REGISTER, await proven(key, REGISTER, { publicKey: key.pem, keyId }));
  assert.deepEqual([registered.status, registered.body.keyId], [200, keyId]);
  const stored = await ask(mock, "PUT", "/v1/project/apikey", { type: "pk_wallet", uuid: keyId });
  assert.deepEqual([stored.status, stored.body.token], [200, keyId]);
  assert.match(stored.hint, /^older-path-of-api-keys/);
  return { key, keyId };
}

flow("a backend wallet's secret is set up", setUp);

flow("a backend wallet's secret is rotated", async (mock) => {
  await setUp(mock);
  await mock.change({ aal2: true });
  const next = newKey();
  const newKeyId = `ws_${Date.now() + 1}`;
  const rotated = await ask(mock, "POST", ROTATE, await proven(next, ROTATE, { newPublicKey: next.pem, newKeyId }));
  assert.deepEqual([rotated.status, rotated.body.success], [200, true]);
  const stored = await ask(mock, "PUT", "/v1/project/apikey", { type: "pk_wallet", uuid: newKeyId });
  assert.equal(stored.body.token, newKeyId);
});

flow("a backend wallet's secret is revoked", async (mock) => {
  const { key, keyId } = await setUp(mock);
  const headers = { "x-wallet-auth": await walletAuth(key, "POST", REVOKE, { keyId }) };
  const revoked = await ask(mock, "POST", REVOKE, { keyId }, headers);
  assert.deepEqual([revoked.status, revoked.body.revoked], [200, true]);
});

flow("an embedded wallet's keys are stored", async (mock) => {
  for (const [type, uuid] of [["pk_shield", "shield-public"], ["sk_shield", "shield-secret"]]) {
    const { status, body } = await ask(mock, "PUT", "/v1/project/apikey", { type, uuid });
    assert.deepEqual([status, body.token], [200, uuid]);
  }
});

flow("a login makes a publishable key that works", async (mock) => {
  const { status, body } = await ask(mock, "POST", "/v1/project/apikey", { type: "pk" }, { project: "pro_1" });
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(body).sort(), ["createdAt", "id", "livemode", "name", "scopes", "token"]);
  const headers = { authorization: `Bearer ${body.token}` };
  assert.equal((await fetch(`${mock.url}/iam/v1/config`, { headers })).status, 200);
});

flow("users are listed and deleted by their own ids", async (mock) => {
  const sent = { "x-project-key": mock.publishableKey };
  const ada = { email: "ada@example.com", password: "correct horse battery", name: "Ada" };
  const { body } = await ask(mock, "POST", "/iam/v2/auth/sign-up/email", ada, sent);
  const listed = await ask(mock, "GET", "/v2/users");
  assert.deepEqual(listed.body.data.map(({ id }) => id), [body.user.id]);
  const deleted = await ask(mock, "DELETE", `/v2/users/${body.user.id}`);
  assert.deepEqual([deleted.status, deleted.body.deleted], [200, true]);
});

flow("the older way of listing backend wallets has a hint", async (mock) => {
  const { status, hint, body } = await ask(mock, "GET", "/v2/accounts/backend");
  assert.deepEqual([status, body.object, body.total], [200, "list", 0]);
  assert.match(hint, /^older-path-of-backend-wallets/);
});

flow("requests and webhooks are logged", async (mock) => {
  await ask(mock, "GET", "/v2/users");
  for (const path of ["/v1/logs", "/v1/logs/webhook", "/v1/subscriptions/logs"]) {
    assert.equal((await ask(mock, "GET", path)).status, 200);
  }
});
