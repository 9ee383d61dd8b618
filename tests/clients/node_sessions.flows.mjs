import assert from "node:assert/strict";

import { APIError, readContract } from "@openfort/openfort-node";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";

import { backend, textOf } from "./node_client.mjs";
import { flow, refusal } from "./play.mjs";

const CHAIN = 80002;
const COIN = "0x2222222222222222222222222222222222222222";
const RECIPIENT = "0x000000000000000000000000000000000000dEaD";

const fn = (name, inputs, outputs = []) => ({
  type: "function",
  name,
  stateMutability: outputs.length ? "view" : "nonpayable",
  inputs: inputs.map((type, at) => ({ name: `a${at}`, type })),
  outputs: outputs.map((type) => ({ name: "", type })),
});
const ERC20 = [
  fn("mint", ["address", "uint256"]),
  fn("transfer", ["address", "uint256"]),
  fn("balanceOf", ["address"], ["uint256"]),
];



/** Which session is asked for: from a minute ago on, for an hour. */
function wanted(address, members) {
  const now = Math.floor(Date.parse("2026-01-01T00:00:00Z") / 1000);
  return { address, chainId: CHAIN, validAfter: now - 60, validUntil: now + 3600, ...members };
}

flow("a session of an account in the service's custody is active at once, listed and revoked", async (mock) => {
  const openfort = backend(mock);
  const { player, account } = await openfort.transactionIntents.create({
    chainId: CHAIN,
    interactions: [{ to: RECIPIENT }],
  });
  const key = privateKeyToAccount(generatePrivateKey());
  const made = await openfort.sessions.create(wanted(key.address, { account: account.id, limit: 3, whitelist: [COIN] }));
  assert.match(made.id, /^ses_/);
  assert.equal(made.isActive, true);
  assert.equal(made.nextAction, undefined);
  assert.equal(made.limit, 3);
  assert.deepEqual(made.account, { id: account.id });
  assert.deepEqual(await openfort.sessions.get(made.id), made);
  const listed = await openfort.sessions.list({ player: player.id });
  assert.deepEqual(listed.data.map(({ id }) => id), [made.id]);

  const error = await refusal(
    openfort.sessions.create(wanted(key.address, { account: account.id })),
  );
  assert.ok(error instanceof APIError);
  assert.equal(error.statusCode, 409);

  const revoked = await openfort.sessions.revoke({ address: key.address, chainId: CHAIN, account: account.id });
  assert.equal(revoked.isActive, false);
});

flow("a session of a user's own account waits for the owner, and its key signs from then on", async (mock) => {
  const openfort = backend(mock);
  const owner = privateKeyToAccount(generatePrivateKey());
  const key = privateKeyToAccount(generatePrivateKey());
  const account = await mock.api("POST", "/v1/accounts", { chainId: CHAIN, externalOwnerAddress: owner.address });
  const made = await openfort.sessions.create(wanted(key.address, { account: account.id, limit: 1 }));
  assert.equal(made.isActive, false);
  const { signableHash } = made.nextAction.payload;
  const signed = await openfort.sessions.signature(made.id, { signature: await owner.sign({ hash: signableHash }) });
  assert.equal(signed.isActive, true);
  assert.equal(signed.nextAction, undefined);

  const intent = () =>
    openfort.transactionIntents.create({ chainId: CHAIN, account: account.id, interactions: [{ to: RECIPIENT }] });
  const signedBy = async (signer, { id, nextAction }) =>
    openfort.transactionIntents.signature(id, {
      signature: await signer.sign({ hash: nextAction.payload.signableHash }),
    });
  assert.equal((await signedBy(key, await intent())).response.status, 1);
  const error = await refusal(signedBy(key, await intent()));
  assert.match(textOf(error), /as often as it may/);
  assert.equal((await signedBy(owner, await intent())).response.status, 1);
  assert.equal((await openfort.sessions.get(made.id, { expand: ["transactionIntents"] })).transactionIntents.length, 2);
});

flow("what intents do to a token is what the contract answers", async (mock) => {
  const openfort = backend(mock);
  const contract = await openfort.contracts.create({ name: "Coin", chainId: CHAIN, address: COIN, abi: ERC20 });
  const call = (functionName, ...functionArgs) => ({ contract: contract.id, functionName, functionArgs });
  const first = await openfort.transactionIntents.create({
    chainId: CHAIN,
    interactions: [call("mint", RECIPIENT, "100")],
  });
  const account = first.account.id;
  await openfort.transactionIntents.create({
    chainId: CHAIN,
    account,
    interactions: [call("mint", account, "50"), call("transfer", RECIPIENT, "20")],
  });
  const balance = async (holder) =>
    (await readContract(contract.id, { functionName: "balanceOf", functionArgs: [holder] })).result;
  assert.equal(await balance(RECIPIENT), "120");
  assert.equal(await balance(account), "30");
  const error = await refusal(readContract(contract.id, { functionName: "balanceOff", functionArgs: [account] }));
  assert.equal(error.statusCode, 409);
  assert.match(textOf(error), /balanceOf/);
});
