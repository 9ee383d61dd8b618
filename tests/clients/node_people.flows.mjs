import assert from "node:assert/strict";

import { APIError } from "@openfort/openfort-node";

import { browser } from "./js_client.mjs";
import { backend } from "./node_client.mjs";
import { flow, refusal } from "./play.mjs";

const PASSWORD = "correct horse battery";

flow("users are listed newest first, retrieved and deleted", async (mock) => {
  const openfort = backend(mock);
  const ids = [];
  for (const name of ["ada", "grace", "joan"]) {
    const answer = await browser(mock).auth.signUpWithEmailPassword({ email: `${name}@example.com`, password: PASSWORD });
    ids.unshift(answer.user.id);
  }
  const users = await openfort.iam.users.list();
  assert.equal(users.total, 3);
  assert.deepEqual(users.data.map(({ id }) => id), ids);
  const page = await openfort.iam.users.list({ limit: 1, skip: 1 });
  assert.deepEqual(page.data.map(({ email }) => email), ["grace@example.com"]);

  const joan = await openfort.iam.users.get(ids[0]);
  assert.equal(joan.email, "joan@example.com");
  assert.equal((await openfort.iam.users.delete(ids[0])).deleted, true);
  const error = await refusal(openfort.iam.users.get(ids[0]));
  assert.ok(error instanceof APIError);
  assert.equal(error.statusCode, 404);
  assert.equal(error.errorType, "not_found");
});

flow("a backend looks up the session of a user who signed in with the browser client", async (mock) => {
  const signedIn = await browser(mock).auth.signUpWithEmailPassword({ email: "grace@example.com", password: PASSWORD });
  const found = await backend(mock).iam.getSession({ accessToken: signedIn.token });
  assert.equal(found.user.id, signedIn.user.id);
  assert.equal(found.session.userId, signedIn.user.id);
  assert.equal(found.session.token, signedIn.token);
});

flow("a token that was never issued is no session", async (mock) => {
  const error = await refusal(backend(mock).iam.getSession({ accessToken: "nobodysToken" }));
  assert.ok(error instanceof APIError);
  assert.equal(error.statusCode, 401);
});

flow("a session token is verified", async (mock) => {
  const signedIn = await browser(mock).auth.signUpWithEmailPassword({ email: "grace@example.com", password: PASSWORD });
  const verified = await backend(mock).iam.v1.verifyToken({ token: signedIn.token });
  const { session } = await backend(mock).iam.getSession({ accessToken: signedIn.token });
  assert.equal(verified.sessionId, session.id);
  assert.equal(verified.expiration, Math.floor(Date.parse(session.expiresAt) / 1000));
  assert.match(verified.playerId, /^pla_/);
});
