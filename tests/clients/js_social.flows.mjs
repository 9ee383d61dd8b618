import assert from "node:assert/strict";

import { SignJWT } from "jose";

import { browser } from "./js_client.mjs";
import { flow, only, refusal } from "./play.mjs";

// Older versions sign users in at paths that are gone.
only({ since: "1.3.4" });

const SHOP = "https://shop.example/in";
const ADA = { sub: "google-7", email: "ada@example.com", email_verified: true, name: "Ada Lovelace" };

/** What a provider gives an app to show who signed in there. */
const idToken = (claims) =>
  new SignJWT(claims)
    .setProtectedHeader({ alg: "HS256", typ: "JWT" })
    .setIssuedAt()
    .setExpirationTime("1h")
    .sign(new TextEncoder().encode("a provider's key that is not checked here"));

/** What a browser does at the provider's page: fill in the form, follow the way back, end at the shop. */
async function consent(url, answers) {
  const page = await fetch(url);
  assert.match(page.headers.get("content-type"), /text\/html/);
  assert.match(await page.text(), /<form/);
  const state = new URL(url).searchParams.get("state");
  const form = new URLSearchParams({ state, ...answers });
  const sent = await fetch(url, { method: "POST", body: form, redirect: "manual" });
  const back = await fetch(new URL(sent.headers.get("location"), url), { redirect: "manual" });
  return new URL(back.headers.get("location"));
}

/** Sign up with a password. */
const signUp = async (openfort, email) =>
  (await openfort.auth.signUpWithEmailPassword({ email, password: "correct horse battery" })).user.id;

const providers = async (openfort) =>
  (await openfort.user.get()).linkedAccounts.map(({ provider }) => provider).sort();

flow("an id token signs a new user in, and the same user next time", async (mock) => {
  const ids = [];
  for (let time = 0; time < 2; time += 1) {
    const openfort = browser(mock);
    const answer = await openfort.auth.logInWithIdToken({ provider: "google", token: await idToken(ADA) });
    assert.ok(answer.token);
    ids.push(answer.user.id, (await openfort.user.get()).id);
    assert.equal((await openfort.user.get()).email, ADA.email);
  }
  assert.equal(new Set(ids).size, 1);
});

flow("an id token that is none is refused", async (mock) => {
  const openfort = browser(mock);
  const error = await refusal(openfort.auth.logInWithIdToken({ provider: "google", token: "nonsense" }));
  assert.equal(error.error, "INVALID_TOKEN");
  assert.equal(await openfort.getAccessToken(), null);
});

flow("a provider's consent page leads back signed in", async (mock) => {
  const openfort = browser(mock);
  const url = await openfort.auth.initOAuth({ provider: "discord", redirectTo: SHOP });
  const place = await consent(url, { name: "Ada", email: ADA.email, verified: "true" });
  assert.equal(place.origin + place.pathname, SHOP);
  const token = place.searchParams.get("access_token");
  const userId = place.searchParams.get("user_id");
  await openfort.auth.storeCredentials({ token, userId });
  assert.equal((await openfort.user.get()).id, userId);
  assert.deepEqual(await providers(openfort), ["discord"]);
});

flow("who refuses at the provider comes back without a session", async (mock) => {
  const openfort = browser(mock);
  const url = await openfort.auth.initOAuth({ provider: "google", redirectTo: SHOP });
  const place = await consent(url, { decision: "refuse" });
  assert.equal(place.searchParams.get("error"), "access_denied");
  assert.equal(place.searchParams.get("access_token"), null);
});

flow("a user links a social identity, signs in with it, and takes it away", async (mock) => {
  const openfort = browser(mock);
  const userId = await signUp(openfort, ADA.email);
  const url = await openfort.auth.initLinkOAuth({ provider: "google", redirectTo: SHOP });
  await consent(url, { name: "Ada", email: ADA.email, verified: "true", subject: ADA.sub });
  assert.deepEqual(await providers(openfort), ["credential", "google"]);

  const other = browser(mock);
  const again = await other.auth.logInWithIdToken({ provider: "google", token: await idToken(ADA) });
  assert.equal(again.user.id, userId);

  await openfort.auth.unlinkOAuth({ provider: "google" });
  assert.deepEqual(await providers(openfort), ["credential"]);
});

flow("a guest who links a social identity becomes that person", async (mock) => {
  const openfort = browser(mock);
  await openfort.auth.signUpGuest();
  assert.ok((await openfort.user.get()).isAnonymous);
  const url = await openfort.auth.initLinkOAuth({ provider: "google", redirectTo: SHOP });
  const place = await consent(url, { name: "Ada", email: ADA.email, verified: "true" });
  const person = browser(mock);
  await person.auth.storeCredentials({
    token: place.searchParams.get("access_token"),
    userId: place.searchParams.get("user_id"),
  });
  const user = await person.user.get();
  assert.ok(!user.isAnonymous);
  assert.equal(user.email, ADA.email);
});
