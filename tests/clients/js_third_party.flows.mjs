// Users whom another provider signs in: the client sends that provider's token with every request.

import assert from "node:assert/strict";

import { SignJWT } from "jose";

import { browser } from "./js_client.mjs";
import { flow, only } from "./play.mjs";

// Older versions list the accounts of contracts only.
only({ since: "1.3.4" });

const token = (sub) =>
  new SignJWT({ sub, name: "Joan" })
    .setProtectedHeader({ alg: "HS256" })
    .setIssuedAt()
    .setExpirationTime("1h")
    .sign(new TextEncoder().encode("a provider's key that is not checked here"));

flow("a user of another provider has accounts", async (mock) => {
  await mock.api("POST", "/iam/v1/config", { provider: "firebase", enabled: true, projectId: "shop" });
  const idToken = await token("fb-7");
  const thirdPartyAuth = { provider: "firebase", getAccessToken: async () => idToken };
  const openfort = browser(mock, { thirdPartyAuth });
  assert.equal(await openfort.getAccessToken(), idToken);
  assert.deepEqual(await openfort.embeddedWallet.list({ limit: 10 }), []);

  const { data } = await mock.api("GET", "/v2/users?limit=10");
  assert.equal(data.length, 1);
  assert.equal(data[0].linkedAccounts[0].provider, "custom");
  const account = { user: data[0].id, chainType: "EVM", accountType: "Externally Owned Account" };
  const made = await mock.api("POST", "/v2/accounts", account);
  const listed = await openfort.embeddedWallet.list({ limit: 10 });
  assert.deepEqual(listed.map(({ id }) => id), [made.id]);
});
