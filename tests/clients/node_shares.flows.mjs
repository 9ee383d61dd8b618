// Users that exist before they sign in, the shares of their keys, and how they get the keys back.

import assert from "node:assert/strict";

import { ShieldAuthProvider } from "@openfort/openfort-node";
import { ShieldSDK } from "@openfort/shield-js";
import { combine } from "shamir-secret-sharing";
import { privateKeyToAddress } from "viem/accounts";

import { backend } from "./node_client.mjs";
import { flow } from "./play.mjs";

const GRACE = "grace@example.com";
const EOA = "Externally Owned Account";

const shieldUrl = ({ url, publishableKey }) => `${url}/_mock/projects/${publishableKey}/shield`;

const config = (mock) => ({
  shieldApiBaseUrl: shieldUrl(mock),
  shieldApiKey: "key",
  shieldApiSecret: "secret",
  shieldAuthProvider: ShieldAuthProvider.OPENFORT,
  encryptionShare: "share",
});

/** What a user who signs in by code sends to the share service. */
async function signIn(mock, email) {
  const headers = { "content-type": "application/json", "x-project-key": mock.publishableKey };
  const post = (path, body) => fetch(`${mock.url}/iam/v2/auth/${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  await post("email-otp/send-verification-otp", { email, type: "sign-in" });
  const { code } = await mock.message(email);
  const { token } = await (await post("sign-in/email-otp", { email, otp: code })).json();
  return { authProvider: ShieldAuthProvider.OPENFORT, openfortOAuthToken: token };
}

/** Make a user with an account on each kind of chain. */
async function pregenerate(mock) {
  const { evm, solana } = backend(mock).accounts;
  const made = await evm.embedded.pregenerate({ email: GRACE, accountType: EOA }, config(mock));
  assert.match(made.id, /^acc_/);
  assert.equal(made.recoveryShare, undefined);
  const joan = { email: "joan@example.com", accountType: EOA };
  assert.equal((await solana.embedded.pregenerate(joan, config(mock))).chainType, "SVM");
}

flow("a user is made with an account, whose share is stored", { since: "0.10.8" }, pregenerate);

flow("a user gets back the key of the account", { since: "0.10.8" }, async (mock) => {
  const made = await backend(mock).accounts.evm.embedded.pregenerate({ email: GRACE, accountType: EOA }, config(mock));
  const shield = new ShieldSDK({ apiKey: "key", baseURL: shieldUrl(mock) });
  const grace = await signIn(mock, GRACE);
  await assert.rejects(shield.getSecret(grace), /Encryption part missing/);
  await assert.rejects(shield.getSecretByReference(grace, "phone"), /No secret found/);
  const session = await backend(mock).createEncryptionSession("key", "secret", "share", shieldUrl(mock));
  const { signerId, share } = await mock.api("POST", `/v2/accounts/${made.id}/export-share`);
  const { secret } = await shield.getSecretByReference({ ...grace, encryptionSession: session }, signerId);
  const shares = [share, secret].map((text) => Uint8Array.from(Buffer.from(text, "hex")));
  const key = Buffer.from(await combine(shares)).toString("hex");
  assert.equal(privateKeyToAddress(`0x${key}`), made.address);
});

flow("a user is made with the one account of the body", { until: "0.10.2" }, pregenerate);

flow("accounts of users are listed by the kind of chain", async (mock) => {
  const accounts = [{ chainType: "EVM", accountType: EOA }, { chainType: "SVM", accountType: EOA }];
  await mock.api("POST", "/v2/users/pregenerate", { email: GRACE, accounts });
  const { evm, solana } = backend(mock).accounts;
  assert.deepEqual((await evm.embedded.list()).data.map(({ chainType }) => chainType), ["EVM"]);
  assert.deepEqual((await solana.embedded.list()).data.map(({ chainType }) => chainType), ["SVM"]);
});

flow("a user is made with accounts on several chains", { since: "0.10.8" }, async (mock) => {
  const accounts = [{ chainType: "EVM", accountType: EOA }, { chainType: "SVM", accountType: EOA }];
  const made = await backend(mock).accounts.embedded.pregenerate({ email: GRACE, accounts }, config(mock));
  assert.deepEqual(made.accounts.map(({ chainType }) => chainType), ["EVM", "SVM"]);
  const listed = await mock.api("GET", "/v2/accounts");
  assert.deepEqual(listed.data.map(({ recoveryMethod }) => recoveryMethod), ["automatic", "automatic"]);
});

flow("a user who cannot be stored is taken back", { since: "0.10.8" }, async (mock) => {
  const openfort = backend(mock);
  const asked = openfort.accounts.evm.embedded.pregenerate({ email: GRACE, accountType: EOA }, { ...config(mock), shieldApiKey: "" });
  await assert.rejects(asked, /Shield configuration/);
  assert.equal((await openfort.iam.users.list()).total, 0);
});

flow("an encryption session is asked of the share service", async (mock) => {
  const session = await backend(mock).createEncryptionSession("key", "secret", "share", shieldUrl(mock));
  assert.match(session, /^[0-9a-f-]{36}$/);
});
