import assert from "node:assert/strict";

import { browser } from "./js_client.mjs";
import { flow, only } from "./play.mjs";

only({ until: "0.10.30" });

const GRACE = { email: "grace@example.com", password: "correct horse battery" };

flow("a user signs up at the older place", { fails: "the older sign-in under /iam/v1 is absent" }, async (mock) => {
  const { auth, user } = browser(mock);
  const answer = await auth.signUpWithEmailPassword(GRACE);
  assert.ok(answer.token);
  assert.equal((await user.get()).id, answer.player.id);
});
