import assert from "node:assert/strict";

import { OTPError } from "@openfort/openfort-js";

import { browser } from "./js_client.mjs";
import { flow, only, refusal } from "./play.mjs";

// Older versions sign users in at paths that are gone.
only({ since: "1.3.4" });

const GRACE = "grace@example.com";
const PHONE = "+15555550123";

flow("a code in a mail signs a new user in", async (mock) => {
  const openfort = browser(mock);
  await openfort.auth.requestEmailOtp({ email: GRACE });
  const { code } = await mock.message(GRACE);
  const answer = await openfort.auth.logInWithEmailOtp({ email: GRACE, otp: code });
  const user = await openfort.user.get();
  assert.equal(user.id, answer.user.id);
  assert.equal(user.email, GRACE);
  assert.equal(user.emailVerified, true);
});

flow("a wrong code is refused, and the right one still works", async (mock) => {
  const openfort = browser(mock);
  await openfort.auth.requestEmailOtp({ email: GRACE });
  const { code } = await mock.message(GRACE);
  const wrong = code === "111111" ? "222222" : "111111";
  const error = await refusal(openfort.auth.logInWithEmailOtp({ email: GRACE, otp: wrong }));
  assert.equal(error.error, "INVALID_OTP");
  assert.ok(error instanceof OTPError);
  assert.ok((await openfort.auth.logInWithEmailOtp({ email: GRACE, otp: code })).token);
});

flow("a user who is signed in verifies the address with a code", async (mock) => {
  const openfort = browser(mock);
  await openfort.auth.signUpWithEmailPassword({ email: GRACE, password: "correct horse battery" });
  await openfort.auth.requestEmailOtp({ email: GRACE });
  const { code } = await mock.message(GRACE);
  await openfort.auth.verifyEmailOtp({ email: GRACE, otp: code });
  assert.equal((await openfort.user.get()).emailVerified, true);
});

flow("a code in a text signs a new user in", async (mock) => {
  const openfort = browser(mock);
  await openfort.auth.requestPhoneOtp({ phoneNumber: PHONE });
  const { code } = await mock.message(PHONE);
  const answer = await openfort.auth.logInWithPhoneOtp({ phoneNumber: PHONE, otp: code });
  assert.ok(answer.token);
  const user = await openfort.user.get();
  assert.equal(user.id, answer.user.id);
  assert.equal(user.phoneNumber, PHONE);
});

flow("a user adds a telephone number and signs in with it", async (mock) => {
  const openfort = browser(mock);
  const { user } = await openfort.auth.signUpWithEmailPassword({ email: GRACE, password: "correct horse battery" });
  await openfort.auth.requestPhoneOtp({ phoneNumber: PHONE });
  const added = await openfort.auth.linkPhoneOtp({ phoneNumber: PHONE, otp: (await mock.message(PHONE)).code });
  assert.equal(added.user.id, user.id);
  assert.equal((await openfort.user.get()).phoneNumber, PHONE);
  const other = browser(mock);
  await other.auth.requestPhoneOtp({ phoneNumber: PHONE });
  const answer = await other.auth.logInWithPhoneOtp({ phoneNumber: PHONE, otp: (await mock.message(PHONE)).code });
  assert.equal(answer.user.id, user.id);
});

flow("a user who came with a telephone number adds an address, and verifies it through the link in the mail", async (mock) => {
  const openfort = browser(mock);
  await openfort.auth.requestPhoneOtp({ phoneNumber: PHONE });
  await openfort.auth.logInWithPhoneOtp({ phoneNumber: PHONE, otp: (await mock.message(PHONE)).code });
  await openfort.auth.addEmail({ email: GRACE, callbackURL: "http://localhost:3000/added" });
  const landing = await fetch((await mock.message(GRACE)).url, { redirect: "manual" });
  assert.equal(landing.headers.get("location"), "http://localhost:3000/added");
  const user = await openfort.user.get();
  assert.equal(user.email, GRACE);
  assert.equal(user.emailVerified, true);
});
