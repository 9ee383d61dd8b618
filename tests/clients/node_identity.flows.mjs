import assert from "node:assert/strict";

import { SignJWT } from "jose";

import { browser } from "./js_client.mjs";
import { backend } from "./node_client.mjs";
import { flow, refusal } from "./play.mjs";

const FIREBASE = { provider: "firebase", enabled: true, projectId: "shop" };

/** What another provider gives an application to show who signed in there. */
const tokenOf = (sub) =>
  new SignJWT({ sub, name: "Joan" })
    .setProtectedHeader({ alg: "HS256" })
    .setIssuedAt()
    .setExpirationTime("1h")
    .sign(new TextEncoder().encode("a provider's key that is not checked here"));

flow("ways of signing in are configured, listed, retrieved and deleted", async (mock) => {
  const { authProvidersConfig } = backend(mock).iam;
  assert.deepEqual(await authProvidersConfig.create(FIREBASE), FIREBASE);
  assert.deepEqual(await authProvidersConfig.get("firebase"), FIREBASE);
  assert.deepEqual((await authProvidersConfig.list()).data, [FIREBASE]);
  await authProvidersConfig.delete("firebase");
  assert.equal((await refusal(authProvidersConfig.get("firebase"))).statusCode, 404);
});

flow("a token of another provider is verified, and names the same user every time", async (mock) => {
  const openfort = backend(mock);
  await openfort.iam.authProvidersConfig.create(FIREBASE);
  const token = await tokenOf("fb-7");
  const user = await openfort.auth.verifyThirdParty({ provider: "firebase", token });
  assert.match(user.id, /^usr_/);
  assert.equal((await openfort.auth.verifyThirdParty({ provider: "firebase", token })).id, user.id);
  const player = await openfort.iam.v1.verifyOAuthToken({ provider: "firebase", token, tokenType: "idToken" });
  assert.match(player.id, /^pla_/);
});

flow("players of another provider are created, listed, retrieved and deleted", async (mock) => {
  const { players } = backend(mock).iam.v1;
  const made = await players.create({
    thirdPartyUserId: "fb-7",
    thirdPartyProvider: "firebase",
    preGenerateEmbeddedAccount: false,
  });
  assert.match(made.id, /^pla_/);
  assert.equal(made.linkedAccounts[0].externalUserId, "fb-7");
  assert.deepEqual(await players.get(made.id), made);
  assert.deepEqual((await players.list({ externalUserId: "fb-7" })).data, [made]);
  assert.equal((await players.delete(made.id)).id, made.id);
  assert.equal((await refusal(players.get(made.id))).statusCode, 404);
});

flow("the session of a user is looked up at the older place as well", async (mock) => {
  const { token, user } = await browser(mock).auth.signUpGuest();
  assert.equal((await backend(mock).getSession({ accessToken: token })).user.id, user.id);
});

flow("a webhook of the mock is taken, and none that was altered", async (mock) => {
  const openfort = backend(mock);
  const target = `${mock.url}/_mock/projects/${mock.id}/inbox/hooks`;
  await openfort.subscriptions.create({ topic: "user.created", triggers: [{ target, type: "webhook" }] });
  await browser(mock).auth.signUpGuest();
  const { data } = await mock.control("GET", "/inbox/hooks?wait=5");
  const [{ body, headers }] = data;
  const signature = headers["openfort-signature"];
  assert.equal((await openfort.constructWebhookEvent(body, signature)).type, "user.created");
  await assert.rejects(openfort.constructWebhookEvent(`${body} `, signature), /signature/);
});

flow("webhooks are subscribed to, listed and deleted", async (mock) => {
  const { subscriptions, triggers } = backend(mock);
  const trigger = { target: "https://shop.example/hook", type: "webhook" };
  const made = await subscriptions.create({ topic: "test", triggers: [trigger] });
  assert.equal((await subscriptions.get(made.id)).id, made.id);
  assert.equal((await subscriptions.list()).total, 1);
  const added = await triggers.create(made.id, trigger);
  assert.equal((await triggers.get(made.id, added.id)).id, added.id);
  assert.equal((await triggers.list(made.id)).total, 2);
  await triggers.delete(made.id, added.id);
  await subscriptions.delete(made.id);
});
