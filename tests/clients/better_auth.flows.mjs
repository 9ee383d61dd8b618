// The client that others build on, with the plugins whose paths the API has.

import assert from "node:assert/strict";

import { createAuthClient } from "better-auth/client";
import { anonymousClient, emailOTPClient, phoneNumberClient, siweClient } from "better-auth/client/plugins";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { createSiweMessage } from "viem/siwe";

import { flow } from "./play.mjs";

const GRACE = { email: "grace@example.com", password: "correct horse battery", name: "Grace" };
const PHONE = "+15555550123";

/** A client that keeps the session's token itself, and sends it with every request. */
function client(mock) {
  let token;
  return createAuthClient({
    baseURL: mock.url,
    basePath: "/iam/v2/auth",
    plugins: [emailOTPClient(), phoneNumberClient(), anonymousClient(), siweClient()],
    fetchOptions: {
      headers: { "x-project-key": mock.publishableKey },
      auth: { type: "Bearer", token: () => token },
      onSuccess: ({ response }) => {
        token = response.headers.get("set-auth-token") ?? token;
      },
    },
  });
}

/** The answer of a call that has to succeed. */
async function granted(asking) {
  const { data, error } = await asking;
  assert.equal(error, null, JSON.stringify(error));
  return data;
}

/** The error of a call that has to be refused. */
async function refused(asking) {
  const { data, error } = await asking;
  assert.ok(error, `it was not refused: ${JSON.stringify(data)}`);
  return error;
}

flow("a user signs up, has a session, signs out and signs in again", async (mock) => {
  const auth = client(mock);
  const { user } = await granted(auth.signUp.email(GRACE));
  assert.equal(user.email, GRACE.email);
  const found = await granted(auth.getSession());
  assert.equal(found.user.id, user.id);
  assert.equal(found.session.userId, user.id);
  assert.ok(found.session.expiresAt instanceof Date);

  assert.equal((await granted(auth.signOut())).success, true);
  assert.equal((await refused(auth.getSession())).status, 401);

  const again = await granted(auth.signIn.email({ email: GRACE.email, password: GRACE.password }));
  assert.equal(again.user.id, user.id);
  assert.equal((await granted(auth.getSession())).user.id, user.id);
});

flow("a wrong password is refused as the client documents it", async (mock) => {
  const auth = client(mock);
  await granted(auth.signUp.email(GRACE));
  const error = await refused(client(mock).signIn.email({ email: GRACE.email, password: "wrong horse battery" }));
  assert.deepEqual([error.status, error.code], [401, "INVALID_EMAIL_OR_PASSWORD"]);
});

flow("a user sees the other sessions, and ends them", async (mock) => {
  const auth = client(mock);
  const other = client(mock);
  await granted(auth.signUp.email(GRACE));
  await granted(other.signIn.email({ email: GRACE.email, password: GRACE.password }));
  assert.equal((await granted(auth.listSessions())).length, 2);
  await granted(auth.revokeOtherSessions());
  assert.equal((await granted(auth.listSessions())).length, 1);
  assert.equal((await refused(other.getSession())).status, 401);
});

flow("the ways in of a user are listed", async (mock) => {
  const auth = client(mock);
  await granted(auth.signUp.email(GRACE));
  const accounts = await granted(auth.listAccounts());
  // The API has `provider` where this client's types have `providerId`.
  assert.deepEqual(accounts.map(({ provider }) => provider), ["credential"]);
});

flow("a forgotten password is set anew", async (mock) => {
  const auth = client(mock);
  await granted(auth.signUp.email(GRACE));
  await granted(auth.requestPasswordReset({ email: GRACE.email, redirectTo: "http://localhost:3000/reset" }));
  const token = await mock.token(GRACE.email);
  await granted(auth.resetPassword({ newPassword: "another horse battery", token }));
  await refused(client(mock).signIn.email({ email: GRACE.email, password: GRACE.password }));
  await granted(client(mock).signIn.email({ email: GRACE.email, password: "another horse battery" }));
});

flow("an address is verified through the link in the mail", async (mock) => {
  const auth = client(mock);
  await granted(auth.signUp.email(GRACE));
  await granted(auth.sendVerificationEmail({ email: GRACE.email, callbackURL: "http://localhost:3000/verified" }));
  const token = await mock.token(GRACE.email);
  assert.equal((await granted(auth.verifyEmail({ query: { token } }))).status, true);
  assert.equal((await granted(auth.getSession())).user.emailVerified, true);
});

flow("a code in a mail signs in", async (mock) => {
  const auth = client(mock);
  await granted(auth.emailOtp.sendVerificationOtp({ email: GRACE.email, type: "sign-in" }));
  const { code } = await mock.message(GRACE.email);
  const { user } = await granted(auth.signIn.emailOtp({ email: GRACE.email, otp: code }));
  assert.equal((await granted(auth.getSession())).user.id, user.id);
});

flow("a code in a mail verifies the address, and another sets a forgotten password anew", async (mock) => {
  const auth = client(mock);
  await granted(auth.signUp.email(GRACE));
  await granted(auth.emailOtp.sendVerificationOtp({ email: GRACE.email, type: "email-verification" }));
  const verification = { email: GRACE.email, otp: (await mock.message(GRACE.email)).code };
  await granted(auth.emailOtp.checkVerificationOtp({ ...verification, type: "email-verification" }));
  await granted(auth.emailOtp.verifyEmail(verification));
  assert.equal((await granted(auth.getSession())).user.emailVerified, true);

  await granted(auth.forgetPassword.emailOtp({ email: GRACE.email }));
  const { code } = await mock.message(GRACE.email);
  await granted(auth.emailOtp.resetPassword({ email: GRACE.email, otp: code, password: "another horse battery" }));
  await granted(client(mock).signIn.email({ email: GRACE.email, password: "another horse battery" }));
});

flow("a code in a text signs in", async (mock) => {
  const auth = client(mock);
  await granted(auth.phoneNumber.sendOtp({ phoneNumber: PHONE }));
  const { code } = await mock.message(PHONE);
  const { user } = await granted(auth.phoneNumber.verify({ phoneNumber: PHONE, code }));
  assert.equal(user.phoneNumber, PHONE);
  assert.equal((await granted(auth.getSession())).user.id, user.id);
});

flow("a guest signs up later and is no longer a guest", async (mock) => {
  const auth = client(mock);
  const { user } = await granted(auth.signIn.anonymous());
  assert.equal((await granted(auth.getSession())).user.id, user.id);
  await granted(auth.signUp.email(GRACE));
  const found = await granted(auth.getSession());
  assert.equal(found.user.email, GRACE.email);
  assert.ok(!found.user.isAnonymous);
});

flow("a wallet signs in", async (mock) => {
  const auth = client(mock);
  const account = privateKeyToAccount(generatePrivateKey());
  const where = { walletAddress: account.address, chainId: 80002 };
  const { nonce } = await granted(auth.siwe.nonce(where));
  const message = createSiweMessage({
    address: account.address,
    chainId: where.chainId,
    domain: "localhost:3000",
    nonce,
    uri: "http://localhost:3000/login",
    version: "1",
  });
  const signature = await account.signMessage({ message });
  const { user } = await granted(auth.siwe.verify({ ...where, message, signature }));
  assert.equal(user.walletAddress, account.address);
  assert.equal((await granted(auth.getSession())).user.id, user.id);
});
