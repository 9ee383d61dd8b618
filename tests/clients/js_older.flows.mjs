// The sign-in of versions before 1.0, under /iam/v1, and what their applications do with its sessions.

import assert from "node:assert/strict";

import { createRemoteJWKSet, decodeJwt, jwtVerify, SignJWT } from "jose";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { createSiweMessage } from "viem/siwe";

import { browser as plainBrowser } from "./js_client.mjs";
import { flow, only, refusal } from "./play.mjs";

only({ until: "0.10.30" });

const GRACE = { email: "grace@example.com", password: "correct horse battery" };
const SHOP = "https://shop.example/in";
/** Where a project's clock begins. */
const NEW_YEAR = new Date("2026-01-01T00:00:00Z");
const WALLET = { walletClientType: "metamask", connectorType: "injected" };

/** A browser whose iframe is told of every sign-out; these versions wait for it, and it needs a page. */
function browser(mock, configuration) {
  const openfort = plainBrowser(mock, configuration);
  const signer = { disconnect: async () => {} };
  Object.defineProperty(openfort.embeddedWallet, "signer", { get: () => signer, set() {} });
  return openfort;
}

const providers = async ({ user }) => (await user.get()).linkedAccounts.map(({ provider }) => provider).sort();

/** What a provider gives an app to show who signed in there. */
const jwt = (claims) =>
  new SignJWT(claims)
    .setProtectedHeader({ alg: "HS256" })
    .setIssuedAt()
    .setExpirationTime("1h")
    .sign(new TextEncoder().encode("a provider's key that is not checked here"));

/** The user answers the consent page; the URL that the browser returns to. */
async function consent(url, answer = {}) {
  const { searchParams } = new URL(url);
  const form = new URLSearchParams({ state: searchParams.get("state"), email: "ada@example.com", verified: "true", ...answer });
  const given = await fetch(url, { method: "POST", body: form, redirect: "manual" });
  const back = await fetch(new URL(given.headers.get("location"), url), { redirect: "manual" });
  return new URL(back.headers.get("location"));
}

async function signed(account, { nonce }, chainId = 80002) {
  const uri = "https://shop.example/login";
  const message = createSiweMessage({ address: account.address, chainId, domain: "shop.example", nonce, uri, version: "1" });
  return { ...WALLET, message, signature: await account.signMessage({ message }) };
}

flow("a user signs up, out and in again with a password", async (mock) => {
  const openfort = browser(mock);
  const { auth, user } = openfort;
  const answer = await auth.signUpWithEmailPassword({ ...GRACE, options: { data: { name: "Grace" } } });
  assert.equal((await user.get()).id, answer.player.id);
  // It may have been renewed, a second later.
  assert.equal(decodeJwt(await openfort.getAccessToken()).sid, decodeJwt(answer.token).sid);
  await auth.logout();
  assert.equal(await openfort.getAccessToken(), null);
  const again = await auth.logInWithEmailPassword(GRACE);
  assert.equal(again.player.id, answer.player.id);
  assert.deepEqual(await providers(openfort), ["email"]);
});

flow("an access token verifies by the project's keys", async (mock) => {
  const { token, player } = await browser(mock).auth.signUpGuest();
  const keys = createRemoteJWKSet(new URL(`${mock.url}/iam/v1/${mock.publishableKey}/jwks.json`));
  const { payload } = await jwtVerify(token, keys, { currentDate: NEW_YEAR });
  const verified = await mock.api("GET", `/iam/v1/verify?token=${token}`);
  assert.equal(verified.playerId, player.id);
  assert.equal(verified.sessionId, payload.sid);
});

flow("a session is renewed by its refresh token, and ends with it", async (mock) => {
  const openfort = browser(mock);
  const { player, refreshToken, token } = await openfort.auth.signUpGuest();
  await openfort.validateAndRefreshToken(true);
  assert.equal((await openfort.user.get()).id, player.id);
  const other = browser(mock);
  await other.auth.storeCredentials({ player: player.id, accessToken: token, refreshToken });
  assert.equal((await other.user.get()).id, player.id);
  await other.auth.logout();
  const error = await refusal(openfort.validateAndRefreshToken(true));
  assert.equal(error.type, "REFRESH_TOKEN_ERROR");
  assert.match(error.message, /session/);
});

flow("a wrong password, and an address that is taken, are refused", async (mock) => {
  await browser(mock).auth.signUpWithEmailPassword(GRACE);
  const wrong = await refusal(browser(mock).auth.logInWithEmailPassword({ ...GRACE, password: "wrong horse" }));
  assert.deepEqual([wrong.type, wrong.message], ["AUTHENTICATION_ERROR", "Invalid email or password"]);
  const taken = await refusal(browser(mock).auth.signUpWithEmailPassword(GRACE));
  assert.deepEqual([taken.type, taken.message], ["USER_REGISTRATION_ERROR", "Another user has this e-mail address already."]);
});

flow("an address is verified before its user signs in", async (mock) => {
  await mock.change({ email_verification_required: true });
  const { auth } = browser(mock);
  assert.deepEqual(await auth.signUpWithEmailPassword(GRACE), { action: "verify_email" });
  assert.deepEqual(await auth.logInWithEmailPassword(GRACE), { action: "verify_email" });
  await auth.requestEmailVerification({ email: GRACE.email, redirectUrl: SHOP });
  const state = await mock.token(GRACE.email);
  const stranger = browser(mock);
  await stranger.auth.requestEmailVerification({ email: "nobody@example.com", redirectUrl: SHOP });
  await refusal(stranger.auth.verifyEmail({ email: GRACE.email, state }));
  await auth.verifyEmail({ email: GRACE.email, state });
  assert.ok((await auth.logInWithEmailPassword(GRACE)).token);
});

flow("a forgotten password is replaced, by the browser that asked for it", async (mock) => {
  await browser(mock).auth.signUpWithEmailPassword(GRACE);
  const { auth } = browser(mock);
  await auth.requestResetPassword({ email: GRACE.email, redirectUrl: SHOP });
  const { url } = await mock.message(GRACE.email);
  const { origin, searchParams } = new URL(url);
  assert.equal(origin, new URL(SHOP).origin);
  assert.equal(searchParams.get("email"), GRACE.email);
  const password = "battery horse correct";
  await auth.resetPassword({ email: GRACE.email, password, state: searchParams.get("state") });
  assert.ok((await auth.logInWithEmailPassword({ ...GRACE, password })).token);
});

flow("a guest becomes a user with a password, and unlinks it", async (mock) => {
  const openfort = browser(mock);
  const { player } = await openfort.auth.signUpGuest();
  const authToken = await openfort.getAccessToken();
  const linked = await openfort.auth.linkEmailPassword({ ...GRACE, authToken });
  assert.equal(linked.id, player.id);
  assert.deepEqual(linked.linkedAccounts.map(({ email, provider }) => [provider, email]), [["email", GRACE.email]]);
  assert.equal((await browser(mock).auth.logInWithEmailPassword(GRACE)).player.id, player.id);
  const last = await refusal(openfort.auth.unlinkEmailPassword({ email: GRACE.email, authToken }));
  assert.match(last.message, /last account/);
  const account = privateKeyToAccount(generatePrivateKey());
  const nonce = await openfort.auth.initSIWE({ address: account.address });
  await openfort.auth.linkWallet({ ...(await signed(account, nonce)), authToken });
  const left = await openfort.auth.unlinkEmailPassword({ email: GRACE.email, authToken });
  assert.deepEqual(left.linkedAccounts.map(({ provider }) => provider), ["wallet"]);
});

flow("a browser goes by a provider's consent page and comes back with a session", async (mock) => {
  const openfort = browser(mock);
  const options = { redirectTo: SHOP, scopes: "openid email", queryParams: { prompt: "select" } };
  const { url } = await openfort.auth.initOAuth({ provider: "google", options });
  const asked = new URL(url).searchParams;
  assert.deepEqual([asked.get("scope"), asked.get("prompt")], ["openid email", "select"]);
  const back = await consent(url);
  assert.equal(back.origin + back.pathname, SHOP);
  const given = Object.fromEntries(back.searchParams);
  await openfort.auth.storeCredentials({ player: given.player_id, accessToken: given.access_token, refreshToken: given.refresh_token });
  assert.equal((await openfort.user.get()).id, given.player_id);
  assert.deepEqual(await providers(openfort), ["google"]);
});

flow("an application that no browser returns to asks for the session by its key", async (mock) => {
  const openfort = browser(mock);
  const { url, key } = await openfort.auth.initOAuth({ provider: "discord", options: { usePooling: true } });
  await consent(url);
  const { player } = await openfort.auth.poolOAuth(key);
  assert.equal((await openfort.user.get()).id, player.id);
  const error = await refusal(browser(mock).auth.poolOAuth(key));
  assert.match(error.message, /given already/);
});

flow("a user links an identity by the consent page, and unlinks it", async (mock) => {
  const openfort = browser(mock);
  await openfort.auth.signUpWithEmailPassword(GRACE);
  const { url } = await openfort.auth.initLinkOAuth({ provider: "google", options: { redirectTo: SHOP } });
  const back = await consent(url, { email: GRACE.email });
  assert.ok(back.searchParams.get("refresh_token"));
  assert.deepEqual(await providers(openfort), ["email", "google"]);
  await openfort.auth.unlinkOAuth({ provider: "google", authToken: await openfort.getAccessToken() });
  assert.deepEqual(await providers(openfort), ["email"]);
});

flow("a refusal at the consent page reaches the application", async (mock) => {
  const { url } = await browser(mock).auth.initOAuth({ provider: "apple", options: { redirectTo: SHOP } });
  const back = await consent(url, { decision: "refuse" });
  assert.equal(back.searchParams.get("error"), "access_denied");
});

flow("an id token signs in", async (mock) => {
  const openfort = browser(mock);
  const token = await jwt({ sub: "google-7", email: "ada@example.com", email_verified: true });
  const { player } = await openfort.auth.loginWithIdToken({ provider: "google", token });
  assert.equal(player.linkedAccounts[0].externalUserId, "google-7");
  const error = await refusal(browser(mock).auth.loginWithIdToken({ provider: "google", token: "nonsense" }));
  assert.equal(error.type, "AUTHENTICATION_ERROR");
});

flow("a wallet signs in, and the same user next time", async (mock) => {
  const account = privateKeyToAccount(generatePrivateKey());
  const ids = new Set();
  for (const chainId of [1, 80002]) {
    const openfort = browser(mock);
    const nonce = await openfort.auth.initSIWE({ address: account.address });
    assert.equal(nonce.address, account.address);
    assert.ok(nonce.expiresAt > NEW_YEAR.getTime() / 1000);
    ids.add((await openfort.auth.authenticateWithSIWE(await signed(account, nonce, chainId))).player.id);
  }
  assert.equal(ids.size, 1);
});

flow("a user links a wallet and unlinks it", async (mock) => {
  const openfort = browser(mock);
  await openfort.auth.signUpWithEmailPassword(GRACE);
  const authToken = await openfort.getAccessToken();
  const account = privateKeyToAccount(generatePrivateKey());
  const nonce = await openfort.auth.initSIWE({ address: account.address });
  const linked = await openfort.auth.linkWallet({ ...(await signed(account, nonce)), authToken });
  assert.equal(linked.linkedAccounts[1].address, account.address);
  assert.equal(linked.linkedAccounts[1].walletClientType, "metamask");
  await openfort.auth.unlinkWallet({ address: account.address, authToken });
  assert.deepEqual(await providers(openfort), ["email"]);
});

flow("a user of another provider is known by its token", async (mock) => {
  await mock.api("POST", "/iam/v1/config", { provider: "firebase", enabled: true, projectId: "shop" });
  const token = await jwt({ sub: "fb-7" });
  const openfort = browser(mock, { thirdPartyAuth: { provider: "firebase", getAccessToken: async () => token } });
  assert.equal(await openfort.getAccessToken(), token);
  const { linkedAccounts } = await openfort.user.get();
  assert.equal(linkedAccounts[0].externalUserId, "fb-7");
});

flow("the calls of a session say that newer paths have replaced them", async (mock) => {
  await browser(mock).auth.signUpGuest();
  const { data } = await mock.control("GET", "/journal?order=desc&limit=1");
  assert.match(data[0].hints[0], /^older-sign-in: .*sign-in\/anonymous/);
});
