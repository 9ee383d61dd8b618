import assert from "node:assert/strict";

import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { createSiweMessage } from "viem/siwe";

import { browser } from "./js_client.mjs";
import { flow, only, refusal } from "./play.mjs";

// Older versions sign users in at paths that are gone.
only({ since: "1.3.4" });

const WALLET = { walletClientType: "metamask", connectorType: "injected" };

/** What the browser's wallet answers when it is asked to sign in with Ethereum (EIP-4361). */
async function signIn(account, { nonce }, chainId = 1) {
  const message = createSiweMessage({
    address: account.address,
    chainId,
    domain: "localhost:3000",
    nonce,
    statement: "Sign in to the shop.",
    uri: "http://localhost:3000/login",
    version: "1",
  });
  return { ...WALLET, address: account.address, message, signature: await account.signMessage({ message }) };
}

const wallet = () => privateKeyToAccount(generatePrivateKey());

flow("a wallet signs a new user in, and the same user next time", async (mock) => {
  const account = wallet();
  const ids = [];
  for (let time = 0; time < 2; time += 1) {
    const openfort = browser(mock);
    const nonce = await openfort.auth.initSiwe({ address: account.address });
    const answer = await openfort.auth.loginWithSiwe(await signIn(account, nonce));
    assert.ok(answer.token);
    ids.push(answer.user.id, (await openfort.user.get()).id);
  }
  assert.equal(new Set(ids).size, 1);
});

flow("a signature of another wallet is refused", async (mock) => {
  const openfort = browser(mock);
  const account = wallet();
  const signed = await signIn(account, await openfort.auth.initSiwe({ address: account.address }));
  const signature = await wallet().signMessage({ message: signed.message });
  const error = await refusal(openfort.auth.loginWithSiwe({ ...signed, signature }));
  assert.equal(error.error, "UNAUTHORIZED_INVALID_SIWE_SIGNATURE");
  assert.equal(await openfort.getAccessToken(), null);
});

flow("a nonce signs in once", async (mock) => {
  const account = wallet();
  const signed = await signIn(account, await browser(mock).auth.initSiwe({ address: account.address }));
  await browser(mock).auth.loginWithSiwe(signed);
  const error = await refusal(browser(mock).auth.loginWithSiwe(signed));
  assert.match(error.error, /NONCE/);
});

flow("a user links a wallet, signs in with it, and takes it away", async (mock) => {
  const openfort = browser(mock);
  const account = wallet();
  const { user } = await openfort.auth.signUpWithEmailPassword({
    email: "grace@example.com",
    password: "correct horse battery",
  });
  const nonce = await openfort.auth.initLinkSiwe({ address: account.address });
  await openfort.auth.linkWithSiwe({ ...(await signIn(account, nonce)), chainId: 1 });
  const linked = (await openfort.user.get()).linkedAccounts;
  assert.deepEqual(linked.map(({ provider }) => provider).sort(), ["credential", "siwe"]);
  assert.ok(linked.some(({ accountId }) => accountId.startsWith(account.address)));

  const other = browser(mock);
  const again = await signIn(account, await other.auth.initSiwe({ address: account.address }));
  assert.equal((await other.auth.loginWithSiwe(again)).user.id, user.id);

  await openfort.auth.unlinkWallet({ address: account.address, chainId: 1 });
  const left = (await openfort.user.get()).linkedAccounts;
  assert.equal(left.length, linked.length - 1);
});

flow("a user links a wallet on another chain and takes it away, although the client leaves out or misspells the chain", async (mock) => {
  const openfort = browser(mock);
  const account = wallet();
  await openfort.auth.signUpWithEmailPassword({ email: "joan@example.com", password: "correct horse battery" });
  const nonce = await openfort.auth.initLinkSiwe({ address: account.address });
  await openfort.auth.linkWithSiwe({ ...(await signIn(account, nonce, 80002)), chainId: 80002 });
  const linked = (await openfort.user.get()).linkedAccounts;
  assert.ok(linked.some(({ accountId }) => accountId === `${account.address}:80002`));
  await openfort.auth.unlinkWallet({ address: account.address, chainId: 80002 });
  assert.deepEqual((await openfort.user.get()).linkedAccounts.map(({ provider }) => provider), ["credential"]);
});

flow("a user of a wallet adds an e-mail address", async (mock) => {
  const openfort = browser(mock);
  const account = wallet();
  const nonce = await openfort.auth.initSiwe({ address: account.address });
  await openfort.auth.loginWithSiwe(await signIn(account, nonce));
  await openfort.auth.addEmail({ email: "ada@example.com", callbackURL: "http://localhost:3000/added" });
  assert.equal((await openfort.user.get()).email, "ada@example.com");
});
