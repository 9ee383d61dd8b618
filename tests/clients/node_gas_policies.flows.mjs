import assert from "node:assert/strict";

import { privateKeyToAccount, generatePrivateKey } from "viem/accounts";

import { backend } from "./node_client.mjs";
import { flow, only, refusal } from "./play.mjs";

// Later versions have sponsorships instead.
only({ until: "0.7.7" });

const AMOY = 80002;
const THERE = "0x000000000000000000000000000000000000dEaD";
const FREE = { sponsorSchema: "pay_for_user" };

flow("gas policies are created, listed, retrieved, updated, disabled, enabled and deleted", async (mock) => {
  const { policies } = backend(mock);
  const made = await policies.create({ name: "Gas", chainId: AMOY, strategy: FREE });
  assert.match(made.id, /^pol_/);
  assert.deepEqual(await policies.get(made.id), made);
  assert.deepEqual((await policies.list()).data, [made]);
  assert.equal((await policies.update(made.id, { name: "Fees" })).name, "Fees");
  assert.equal((await policies.disable(made.id)).enabled, false);
  assert.equal((await policies.enable(made.id)).enabled, true);
  assert.equal((await policies.getTotalGasUsage(made.id)).object, "list");
  assert.equal((await policies.delete(made.id)).deleted, true);
});

flow("rules of a gas policy are created, listed, updated and deleted", async (mock) => {
  const { contracts, policies, policyRules } = backend(mock);
  const policy = (await policies.create({ name: "Gas", chainId: AMOY, strategy: FREE })).id;
  const contract = (await contracts.create({ name: "Coin", chainId: AMOY, address: THERE })).id;
  const made = await policyRules.create({ type: "contract_functions", policy, contract, functionName: "mint" });
  assert.match(made.id, /^afu_/);
  await policyRules.create({ type: "account_functions", policy });
  assert.equal((await policyRules.list({ policy })).total, 2);
  const changed = await policyRules.update(made.id, { type: "contract_functions", contract, functionName: "burn" });
  assert.equal(changed.functionName, "burn");
  assert.equal((await policyRules.delete(made.id)).deleted, true);
});

flow("developer accounts are in the settings", async (mock) => {
  const { settings } = backend(mock);
  const owner = privateKeyToAccount(generatePrivateKey());
  const { message, address } = await settings.getVerificationPayload({ address: owner.address });
  const signature = await owner.signMessage({ message });
  const made = await settings.createDeveloperAccount({ address, signature });
  assert.equal((await settings.getDeveloperAccount(made.id)).address, owner.address);
  assert.equal((await settings.getDeveloperAccounts()).total, 1);
  assert.equal((await settings.deleteDeveloperAccount(made.id)).deleted, true);
  assert.equal((await refusal(settings.getDeveloperAccount(made.id))).statusCode, 404);
});

flow("an account is offered to another owner, and signs", async (mock) => {
  const { accounts, policies } = backend(mock);
  const policy = (await policies.create({ name: "Gas", chainId: AMOY, strategy: FREE })).id;
  const { id } = await accounts.v1.create({ chainId: AMOY });
  const offered = await accounts.v1.requestTransferOwnership(id, { newOwnerAddress: THERE, policy });
  assert.equal(offered.response.status, 1);
  assert.equal((await accounts.v1.get(id)).pendingOwnerAddress, THERE);
});
