import assert from "node:assert/strict";

import { AuthenticationError } from "@openfort/openfort-js";

import { browser } from "./js_client.mjs";
import { flow, only, refusal } from "./play.mjs";

// Older versions sign users in at paths that are gone.
only({ since: "1.3.4" });

const GRACE = { email: "grace@example.com", password: "correct horse battery" };

flow("a user signs up with a password and is signed in", async (mock) => {
  const openfort = browser(mock);
  const answer = await openfort.auth.signUpWithEmailPassword({ ...GRACE, name: "Grace" });
  assert.ok(answer.token);
  assert.match(answer.user.id, /^usr_/);
  const user = await openfort.user.get();
  assert.equal(user.id, answer.user.id);
  assert.equal(user.email, GRACE.email);
  assert.equal(await openfort.getAccessToken(), answer.token);
});

flow("a user signs in with the password from another browser", async (mock) => {
  const { user } = await browser(mock).auth.signUpWithEmailPassword(GRACE);
  const openfort = browser(mock);
  const answer = await openfort.auth.logInWithEmailPassword(GRACE);
  assert.equal(answer.user.id, user.id);
  assert.equal((await openfort.user.get()).id, user.id);
});

flow("a wrong password is refused with the code that the client knows", async (mock) => {
  await browser(mock).auth.signUpWithEmailPassword(GRACE);
  const error = await refusal(browser(mock).auth.logInWithEmailPassword({ ...GRACE, password: "wrong horse" }));
  assert.equal(error.error, "INVALID_EMAIL_OR_PASSWORD");
  assert.ok(error instanceof AuthenticationError);
});

flow("an address signs up once", async (mock) => {
  await browser(mock).auth.signUpWithEmailPassword(GRACE);
  const error = await refusal(browser(mock).auth.signUpWithEmailPassword(GRACE));
  assert.match(error.error, /^USER_ALREADY_EXISTS/);
});

flow("a forgotten password is set anew through the link in the mail", async (mock) => {
  await browser(mock).auth.signUpWithEmailPassword(GRACE);
  const openfort = browser(mock);
  await openfort.auth.requestResetPassword({ email: GRACE.email, redirectUrl: "http://localhost:3000/reset" });
  const { url } = await mock.message(GRACE.email);
  const landing = await fetch(url, { redirect: "manual" });
  const location = new URL(landing.headers.get("location"));
  assert.equal(location.origin + location.pathname, "http://localhost:3000/reset");
  await openfort.auth.resetPassword({ password: "another horse battery", token: location.searchParams.get("token") });
  await refusal(browser(mock).auth.logInWithEmailPassword(GRACE));
  const answer = await browser(mock).auth.logInWithEmailPassword({ ...GRACE, password: "another horse battery" });
  assert.ok(answer.token);
});

flow("an address is verified through the link in the mail", async (mock) => {
  const openfort = browser(mock);
  await openfort.auth.signUpWithEmailPassword(GRACE);
  assert.equal((await openfort.user.get()).emailVerified, false);
  await openfort.auth.requestEmailVerification({ email: GRACE.email, redirectUrl: "http://localhost:3000/verified" });
  await openfort.auth.verifyEmail({ token: await mock.token(GRACE.email) });
  assert.equal((await openfort.user.get()).emailVerified, true);
});

flow("where addresses have to be verified, signing up asks for it and signing in is refused until then", async (mock) => {
  await mock.change({ email_verification_required: true });
  const answer = await browser(mock).auth.signUpWithEmailPassword(GRACE);
  assert.equal(answer.token ?? null, null);
  const error = await refusal(browser(mock).auth.logInWithEmailPassword(GRACE));
  assert.equal(error.error, "EMAIL_NOT_VERIFIED");
  const openfort = browser(mock);
  await openfort.auth.requestEmailVerification({ email: GRACE.email, redirectUrl: "http://localhost:3000/verified" });
  await openfort.auth.verifyEmail({ token: await mock.token(GRACE.email) });
  assert.ok((await browser(mock).auth.logInWithEmailPassword(GRACE)).token);
});

flow("a guest is signed in", async (mock) => {
  const openfort = browser(mock);
  const answer = await openfort.auth.signUpGuest();
  assert.ok(answer.token);
  const user = await openfort.user.get();
  assert.equal(user.id, answer.user.id);
  assert.equal(user.isAnonymous, true);
});

flow("a user who logs out is signed out at the server too", async (mock) => {
  const openfort = browser(mock);
  const { token } = await openfort.auth.signUpWithEmailPassword(GRACE);
  const asking = () =>
    fetch(`${mock.url}/iam/v2/auth/get-session`, {
      headers: { authorization: `Bearer ${token}`, "x-project-key": mock.publishableKey },
    });
  assert.equal((await asking()).status, 200);
  await openfort.auth.logout();
  assert.equal((await asking()).status, 401);
  assert.equal(await openfort.getAccessToken(), null);
  await refusal(openfort.user.get());
});
