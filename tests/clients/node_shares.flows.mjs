// Users that exist before they sign in. Their shares go to another service, which a stand-in plays.

import assert from "node:assert/strict";

import { ShieldAuthProvider } from "@openfort/openfort-node";

import { backend } from "./node_client.mjs";
import { flow } from "./play.mjs";
import { shieldStandIn } from "./shield_stand_in.mjs";

const GRACE = "grace@example.com";

const config = ({ url }) => ({
  shieldApiBaseUrl: url,
  shieldApiKey: "key",
  shieldApiSecret: "secret",
  shieldAuthProvider: ShieldAuthProvider.OPENFORT,
  encryptionShare: "share",
});

/** Make a user with an account on each kind of chain. */
async function pregenerate(mock) {
  const shield = await shieldStandIn();
  const openfort = backend(mock);
  const { evm, solana } = openfort.accounts;
  const made = await evm.embedded.pregenerate({ email: GRACE, accountType: "Externally Owned Account" }, config(shield));
  assert.match(made.id, /^acc_/);
  assert.equal(made.recoveryShare, undefined);
  const joan = { email: "joan@example.com", accountType: "Externally Owned Account" };
  assert.equal((await solana.embedded.pregenerate(joan, config(shield))).chainType, "SVM");
  const [{ body, headers, path }] = shield.asked;
  assert.equal(path, "/admin/preregister");
  assert.match(headers["x-user-id"], /^usr_/);
  assert.ok(body.secret);
  shield.close();
}

flow("a user is made with an account, whose share is stored", { since: "0.10.8" }, pregenerate);

flow("a user is made with the one account of the body", { until: "0.10.2" }, pregenerate);

flow("accounts of users are listed by the kind of chain", async (mock) => {
  const accountType = "Externally Owned Account";
  const accounts = [{ chainType: "EVM", accountType }, { chainType: "SVM", accountType }];
  await mock.api("POST", "/v2/users/pregenerate", { email: GRACE, accounts });
  const { evm, solana } = backend(mock).accounts;
  assert.deepEqual((await evm.embedded.list()).data.map(({ chainType }) => chainType), ["EVM"]);
  assert.deepEqual((await solana.embedded.list()).data.map(({ chainType }) => chainType), ["SVM"]);
});

flow("a user is made with accounts on several chains", { since: "0.10.8" }, async (mock) => {
  const shield = await shieldStandIn();
  const accounts = [
    { chainType: "EVM", accountType: "Externally Owned Account" },
    { chainType: "SVM", accountType: "Externally Owned Account" },
  ];
  const made = await backend(mock).accounts.embedded.pregenerate({ email: GRACE, accounts }, config(shield));
  assert.deepEqual(made.accounts.map(({ chainType }) => chainType), ["EVM", "SVM"]);
  assert.equal(shield.asked.length, 2);
  assert.ok(shield.asked.every(({ body }) => /^sig_/.test(body.reference)));
  shield.close();
});

flow("a user who cannot be stored is taken back", { since: "0.10.8" }, async (mock) => {
  const openfort = backend(mock);
  const nowhere = { ...config({ url: "http://127.0.0.1:9" }), shieldApiKey: "" };
  const asked = openfort.accounts.evm.embedded.pregenerate({ email: GRACE, accountType: "Externally Owned Account" }, nowhere);
  await assert.rejects(asked, /Shield configuration/);
  assert.equal((await openfort.iam.users.list()).total, 0);
});

flow("an encryption session is asked of the other service alone", async (mock) => {
  const shield = await shieldStandIn();
  assert.equal(await backend(mock).createEncryptionSession("key", "secret", "share", shield.url), "session-1");
  assert.deepEqual(shield.asked[0].body, { encryption_part: "share" });
  shield.close();
});
