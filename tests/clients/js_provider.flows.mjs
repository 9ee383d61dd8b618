// The browser client's provider (EIP-1193), as applications use it. Its signer lives in an iframe, which needs a browser:
// a stub with the owner's key stands in its place, and everything else is the client's own.

import assert from "node:assert/strict";

import { getUserOperationHash } from "viem/account-abstraction";
import { encodeFunctionData, parseAbi } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";

import { chainNode } from "./chain_node.mjs";
import { browser } from "./js_client.mjs";
import { flow, refusal } from "./play.mjs";

const CHAIN = 80002;
const ENTRY_POINT = "0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789";
const THERE = "0x1111111111111111111111111111111111111111";
const COIN = "0x2222222222222222222222222222222222222222";
const ERC20 = parseAbi(["function mint(address to, uint256 amount)"]);

/** What the iframe answers when it is asked to sign: as an EIP-191 message unless told to sign the hash itself. */
const signerOf = (key, asked) => ({
  async sign(hash, arrayified = true, hashed = true) {
    asked.push(hash);
    return arrayified || hashed ? key.signMessage({ message: { raw: hash } }) : key.sign({ hash });
  },
});

/** A user who signed up in a browser, with an account whose key is theirs, and the provider of it. */
async function walletOf(mock, accountType, options = {}) {
  const key = privateKeyToAccount(generatePrivateKey());
  const asked = [];
  const openfort = browser(mock);
  const ada = { email: "ada@example.com", password: "correct horse" };
  const { player, user } = await openfort.auth.signUpWithEmailPassword(ada);
  // Versions before 1.0 call users players.
  const common = { chainType: "EVM", user: (user ?? player).id };
  const owner = await mock.api("POST", "/v2/accounts", {
    ...common,
    accountType: "Externally Owned Account",
    address: key.address,
  });
  const made = await mock.api("POST", "/v2/accounts", { ...common, accountType, chainId: CHAIN, account: owner.id });
  const account = (await openfort.embeddedWallet.list({ limit: 10 })).find(({ id }) => id === made.id);
  openfort.storage.save("openfort.account", JSON.stringify(account));
  openfort.embeddedWallet.signer = signerOf(key, asked);
  const chain = await chainNode(mock, CHAIN);
  const provider = await openfort.embeddedWallet.getEthereumProvider({ chains: { [CHAIN]: chain.url }, ...options });
  const request = (method, ...params) => provider.request({ method, params });
  await request("eth_requestAccounts");
  return { account, asked, chain, key, openfort, request };
}

flow("an application sends calls, and learns what became of them", async (mock) => {
  const { account, asked, chain, request } = await walletOf(mock, "Smart Account");
  const data = encodeFunctionData({ abi: ERC20, functionName: "mint", args: [THERE, 5n] });
  const id = await request("wallet_sendCalls", { calls: [{ to: COIN, data }] });
  const status = await request("wallet_getCallsStatus", id);
  assert.equal(status.status, "CONFIRMED");
  assert.equal(status.receipts[0].status, "success");
  assert.ok(status.receipts[0].logs.some(({ address }) => address === COIN));

  const intent = await mock.api("GET", `/v1/transaction_intents/${id}`);
  const operation = Object.fromEntries(
    Object.entries(intent.details.userOperation).map(([name, value]) =>
      /nonce|gas|Gas|Fee/.test(name) ? [name, BigInt(value)] : [name, value],
    ),
  );
  const hash = getUserOperationHash({
    chainId: CHAIN,
    entryPointAddress: ENTRY_POINT,
    entryPointVersion: "0.6",
    userOperation: operation,
  });
  assert.deepEqual(asked, [hash]);
  assert.equal(operation.sender, account.address);
  chain.close();
});

flow("a transaction is sent, and its hash comes back", async (mock) => {
  const { chain, request } = await walletOf(mock, "Smart Account");
  const hash = await request("eth_sendTransaction", { to: THERE, value: "1000" });
  assert.match(hash, /^0x[0-9a-f]{64}$/);
  const { balance_wei } = await mock.control("GET", `/chains/${CHAIN}/addresses/${THERE}`);
  assert.equal(balance_wei, "1000");
  chain.close();
});

flow("gas is estimated as it is used", async (mock) => {
  const { chain, request } = await walletOf(mock, "Smart Account");
  const call = { to: THERE, data: "0x01020304" };
  const estimated = await request("eth_estimateGas", call);
  const id = await request("wallet_sendCalls", { calls: [call] });
  const status = await request("wallet_getCallsStatus", id);
  assert.equal(BigInt(estimated), status.receipts[0].gasUsed);
  chain.close();
});

flow("a delegated account signs its delegation with the first calls, and no more", { since: "1.3.4" }, async (mock) => {
  const { account, asked, chain, request } = await walletOf(mock, "Delegated Account");
  await request("wallet_sendCalls", { calls: [{ to: THERE }] });
  assert.equal(asked.length, 2, "the authorization and the user operation are signed");
  const { delegate } = await mock.control("GET", `/chains/${CHAIN}/addresses/${account.address}`);
  assert.equal(delegate, account.implementationAddress);
  await request("wallet_sendCalls", { calls: [{ to: THERE }] });
  assert.equal(asked.length, 3);
  chain.close();
});

flow("a revert reaches the application with its reason", async (mock) => {
  const { chain, request } = await walletOf(mock, "Smart Account");
  await mock.control("POST", "/fates", { outcome: "reverted", reason: "paused" });
  const error = await refusal(request("wallet_sendCalls", { calls: [{ to: THERE }] }));
  assert.match(error.message, /paused/);
  chain.close();
});

flow("a sponsor pays for what an application sends", async (mock) => {
  const rule = { action: "accept", operation: "sponsorEvmTransaction", criteria: [] };
  const policy = await mock.api("POST", "/v2/policies", { scope: "project", rules: [rule] });
  const strategy = { sponsorSchema: "pay_for_user" };
  const sponsorship = await mock.api("POST", "/v2/fee-sponsorship", { policyId: policy.id, strategy });
  const { account, chain, request } = await walletOf(mock, "Smart Account", {
    feeSponsorship: sponsorship.id,
    // As versions before 1.0 call it.
    policy: sponsorship.id,
  });
  await request("wallet_sendCalls", { calls: [{ to: THERE }] });
  const { balance_wei } = await mock.control("GET", `/chains/${CHAIN}/addresses/${account.address}`);
  assert.equal(balance_wei, String(10n ** 18n));
  const { transactions } = await mock.control("GET", `/fee-sponsorships/${sponsorship.id}/budget`);
  assert.equal(transactions, 1);
  chain.close();
});

flow("an application is granted a session, and it is taken back", async (mock) => {
  const { chain, request } = await walletOf(mock, "Smart Account");
  const session = privateKeyToAccount(generatePrivateKey());
  const granted = await request("wallet_grantPermissions", {
    signer: { type: "key", data: { id: session.address } },
    expiry: 3600,
    permissions: [{ type: "contract-call", data: { address: COIN, calls: [] }, policies: [] }],
  });
  assert.match(granted.permissionsContext, /^ses_/);
  assert.equal(granted.grantedPermissions[0].data.address.toLowerCase(), COIN);
  const kept = () => mock.api("GET", `/v1/sessions/${granted.permissionsContext}`);
  assert.equal((await kept()).isActive, true);
  await request("wallet_revokePermissions", { permissionContext: granted.permissionsContext });
  assert.equal((await kept()).isActive, false);
  chain.close();
});

flow("messages and typed data are signed, and the state of the wallet is known", async (mock) => {
  const { account, asked, chain, openfort } = await walletOf(mock, "Smart Account");
  const wallet = openfort.embeddedWallet;
  assert.equal((await wallet.get()).id, account.id);
  assert.match(await wallet.signMessage("Pay Bob"), /^0x[0-9a-f]+$/);
  const types = { Order: [{ name: "cents", type: "uint256" }] };
  assert.match(await wallet.signTypedData({ name: "Shop", chainId: CHAIN }, types, { cents: 5 }), /^0x[0-9a-f]+$/);
  assert.equal(asked.length, 2);
  assert.equal(typeof (await wallet.getEmbeddedState()), "number");
  chain.close();
});

flow("a signature for a transaction of the application's own server is passed on", async (mock) => {
  const { account, chain, key, openfort } = await walletOf(mock, "Smart Account");
  const interactions = [{ to: THERE, value: "1" }];
  const intent = await mock.api("POST", "/v1/transaction_intents", { chainId: CHAIN, account: account.id, interactions });
  const { signableHash } = intent.nextAction.payload;
  const signature = await key.sign({ hash: signableHash });
  const sent = await openfort.proxy.sendSignatureTransactionIntentRequest(intent.id, null, signature);
  assert.equal(sent.response.status, 1);
  const session = privateKeyToAccount(generatePrivateKey());
  const asked = { address: session.address, chainId: CHAIN, account: account.id, validAfter: 0, validUntil: 2 ** 32 };
  const waiting = await mock.api("POST", "/v1/sessions", asked);
  const hash = waiting.nextAction.payload.signableHash;
  const made = await openfort.proxy.sendSignatureSessionRequest(waiting.id, await key.sign({ hash }));
  assert.equal(made.isActive, true);
  chain.close();
});
