import assert from "node:assert/strict";

import {
  cancelTransferAccountOwnership,
  createDeveloperAccount,
  createForwarderContract,
  deleteDeveloperAccount,
  deleteForwarderContract,
  getDeveloperAccounts,
  getForwarderContract,
  getVerificationPayload,
  listForwarderContracts,
  listPaymasters,
  requestTransferAccountOwnership,
  signPayloadDeveloperAccount,
  updateDeveloperAccount,
  updateForwarderContract,
} from "@openfort/openfort-node";
import { verifyTypedData } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";

import { backend } from "./node_client.mjs";
import { flow, refusal } from "./play.mjs";

const AMOY = 80002;
const THERE = "0x000000000000000000000000000000000000dEaD";
const FREE = { sponsorSchema: "pay_for_user" };

flow("players are created, listed, retrieved, updated and deleted", async (mock) => {
  const { players } = backend(mock);
  const made = await players.create({ name: "Ada", description: "First", metadata: { level: 5, guild: "blue" } });
  assert.match(made.id, /^pla_/);
  assert.deepEqual([made.object, made.name, made.description], ["player", "Ada", "First"]);
  assert.deepEqual(await players.get(made.id), made);
  await players.create({ name: "Grace" });
  assert.equal((await players.list()).total, 2);
  assert.deepEqual((await players.list({ name: "ada" })).data, [made]);

  const changed = await players.update(made.id, { name: "Ada L.", metadata: { guild: "" } });
  assert.deepEqual([changed.name, changed.metadata], ["Ada L.", { level: 5 }]);
  assert.equal((await players.delete(made.id)).deleted, true);
  assert.equal((await refusal(players.get(made.id))).statusCode, 404);
});

flow("a player is shown with their accounts and intents", async (mock) => {
  const { players, accounts, transactionIntents } = backend(mock);
  const player = await players.create({ name: "Ada" });
  const account = await accounts.v1.create({ chainId: AMOY, player: player.id });
  const intent = await transactionIntents.create({
    chainId: AMOY,
    player: player.id,
    interactions: [{ to: THERE, value: "1" }],
  });
  assert.deepEqual(intent.account, { id: account.id });
  const shown = await players.get(player.id, { expand: ["accounts", "transactionIntents"] });
  assert.deepEqual(shown.accounts.map(({ id, address }) => [id, address]), [[account.id, account.address]]);
  assert.deepEqual(shown.transactionIntents, [intent]);
});

flow("a player offers an account to another, and takes the offer back", async (mock) => {
  const { players, accounts } = backend(mock);
  const player = await players.create({ name: "Ada" });
  const account = await accounts.v1.create({ chainId: AMOY, player: player.id });
  const policy = (await sponsorship(mock)).id;
  const asked = { chainId: AMOY, policy };
  const offered = await requestTransferAccountOwnership(player.id, { ...asked, newOwnerAddress: THERE });
  assert.equal(offered.response.status, 1);
  assert.equal((await accounts.v1.get(account.id)).pendingOwnerAddress, THERE);
  const taken = await cancelTransferAccountOwnership(player.id, asked);
  assert.equal(taken.response.status, 1);
  assert.equal((await accounts.v1.get(account.id)).pendingOwnerAddress, undefined);
  assert.equal((await refusal(cancelTransferAccountOwnership(player.id, asked))).statusCode, 409);
});

async function sponsorship(mock, members = {}) {
  const rules = [{ action: "accept", operation: "sponsorEvmTransaction", criteria: [] }];
  const policy = await mock.api("POST", "/v2/policies", { scope: "project", rules });
  return mock.api("POST", "/v2/fee-sponsorship", { strategy: FREE, policyId: policy.id, ...members });
}

flow("paymasters are created, listed, retrieved, updated and deleted", async (mock) => {
  const { paymasters } = backend(mock);
  const made = await paymasters.create({ address: THERE, url: "https://pay.test", name: "Mine" });
  assert.match(made.id, /^pay_/);
  assert.deepEqual([made.object, made.address, made.url], ["paymaster", THERE, "https://pay.test"]);
  assert.deepEqual(await paymasters.get(made.id), made);
  assert.deepEqual(await listPaymasters(), [made]);
  const changed = await paymasters.update(made.id, { address: THERE, url: "https://new.test" });
  assert.deepEqual(changed, { ...made, url: "https://new.test" });
  assert.equal((await sponsorship(mock, { paymaster: made.id })).paymasterId, made.id);

  await paymasters.delete(made.id);
  assert.equal((await refusal(paymasters.get(made.id))).statusCode, 404);
  assert.match((await refusal(sponsorship(mock, { paymaster: made.id }))).message, /answered 404/);
});

flow("forwarder contracts are created, listed, retrieved, updated and deleted", async (mock) => {
  backend(mock);
  const made = await createForwarderContract({ address: THERE, chainId: AMOY, name: "Forwarder" });
  assert.match(made.id, /^cfo_/);
  assert.deepEqual(await getForwarderContract(made.id), made);
  assert.deepEqual(await listForwarderContracts(), [made]);
  const named = { chainId: AMOY, forwarderContractId: made.id };
  assert.equal((await sponsorship(mock, named)).forwarderContractId, made.id);
  assert.match((await refusal(sponsorship(mock, { ...named, chainId: 84532 }))).message, /answered 400/);
  const changed = await updateForwarderContract(made.id, { address: THERE, chainId: 84532 });
  assert.deepEqual(changed, { ...made, chainId: 84532 });
  await deleteForwarderContract(made.id);
  assert.deepEqual(await listForwarderContracts(), []);
});

flow("a developer account signs typed data and executes intents", async (mock) => {
  const { transactionIntents } = backend(mock);
  const made = await createDeveloperAccount({ name: "Escrow" });
  assert.match(made.id, /^dac_/);
  assert.equal(made.custodial, true);
  const domain = { chainId: AMOY, name: "Mail", version: "1" };
  const types = { Mail: [{ name: "contents", type: "string" }] };
  const value = { contents: "Hello" };
  const { signature } = await signPayloadDeveloperAccount(made.id, { domain, types, primaryType: "Mail", value });
  const { address } = made;
  assert.ok(await verifyTypedData({ address, domain, types, primaryType: "Mail", message: value, signature }));

  const intent = await transactionIntents.create({
    chainId: AMOY,
    account: made.id,
    interactions: [{ to: THERE, value: "1" }],
  });
  assert.deepEqual([intent.abstractionType, intent.account, intent.response.status], ["standard", { id: made.id }, 1]);
  const listed = await transactionIntents.list({ account: [made.id], expand: ["account"] });
  assert.deepEqual(listed.data.map(({ account }) => account.address), [address]);
});

flow("an address from outside is registered as a developer account", async (mock) => {
  const { transactionIntents } = backend(mock);
  const owner = privateKeyToAccount(generatePrivateKey());
  const { message, address } = await getVerificationPayload({ address: owner.address });
  const signature = await owner.signMessage({ message });
  const made = await createDeveloperAccount({ address, signature });
  assert.deepEqual([made.address, made.custodial], [owner.address, false]);
  assert.equal((await refusal(createDeveloperAccount({ address, signature }))).statusCode, 409);

  const waiting = await transactionIntents.create({
    chainId: AMOY,
    account: made.id,
    interactions: [{ to: THERE, value: "1" }],
  });
  const signed = await owner.sign({ hash: waiting.nextAction.payload.signableHash });
  assert.equal((await transactionIntents.signature(waiting.id, { signature: signed })).response.status, 1);

  assert.equal((await updateDeveloperAccount(made.id, { name: "Mine" })).name, "Mine");
  assert.equal((await deleteDeveloperAccount(made.id)).deleted, true);
  assert.deepEqual((await getDeveloperAccounts()).data, []);
});

flow("accounts of the older API are listed by player and by address", async (mock) => {
  const { accounts } = backend(mock);
  const made = await accounts.v1.create({ chainId: AMOY });
  await accounts.v1.create({ chainId: AMOY });
  const player = made.player.id;
  assert.deepEqual((await accounts.v1.list({ player })).data, [made]);
  assert.deepEqual((await accounts.v1.list({ player, address: THERE })).data, []);
});
