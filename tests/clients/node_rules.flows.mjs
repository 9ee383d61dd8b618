import assert from "node:assert/strict";

import { verifyMessage } from "viem";

import { backend, backendWithWallets } from "./node_client.mjs";
import { flow, only, refusal } from "./play.mjs";

// Before this version policies are what is now a sponsorship.
only({ since: "0.10.2" });

const TOKEN = "0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238";
const OTHER = "0x000000000000000000000000000000000000dEaD";

const onAmoy = (action = "accept", operation = "sponsorEvmTransaction") => ({
  action,
  operation,
  criteria: [{ type: "evmNetwork", operator: "in", chainIds: [80002] }],
});

flow("policies are created, listed, retrieved, updated and deleted", async (mock) => {
  const { policies } = backend(mock);
  const made = await policies.create({ scope: "project", description: "Amoy", rules: [onAmoy()] });
  assert.match(made.id, /^ply_/);
  assert.equal(made.enabled, true);
  assert.equal(made.rules[0].operation, "sponsorEvmTransaction");
  assert.deepEqual(made.rules[0].criteria[0].chainIds, [80002]);
  assert.deepEqual(await policies.get(made.id), made);

  const changed = await policies.update(made.id, { description: "Off", enabled: false, priority: 7 });
  assert.deepEqual([changed.description, changed.enabled, changed.priority], ["Off", false, 7]);
  await policies.create({ scope: "transaction", rules: [onAmoy()] });
  assert.equal((await policies.list()).total, 2);
  assert.deepEqual((await policies.list({ enabled: false })).data.map(({ id }) => id), [made.id]);
  assert.deepEqual((await policies.list({ scope: ["project", "account"] })).data.map(({ id }) => id), [made.id]);

  assert.equal((await policies.delete(made.id)).deleted, true);
  assert.equal((await refusal(policies.get(made.id))).statusCode, 404);
});

flow("a policy says in advance what it allows", async (mock) => {
  const { openfort } = await backendWithWallets(mock);
  const wallet = await openfort.accounts.evm.backend.create();
  const policy = await openfort.policies.create({
    scope: "project",
    rules: [
      {
        action: "accept",
        operation: "signEvmTransaction",
        criteria: [{ type: "evmAddress", operator: "in", addresses: [TOKEN] }],
      },
    ],
  });
  const evaluate = (to) =>
    openfort.policies.evaluate({
      operation: "signEvmTransaction",
      accountId: wallet.id,
      payload: { to, value: "0", chainId: 80002 },
    });
  const allowed = await evaluate(TOKEN);
  assert.equal(allowed.allowed, true);
  assert.equal(allowed.matchedPolicyId, policy.id);
  assert.equal(allowed.matchedRuleId, policy.rules[0].id);
  const denied = await evaluate(OTHER);
  assert.equal(denied.allowed, false);
  assert.ok(denied.reason);
});

flow("a policy binds what a wallet signs and sends", async (mock) => {
  const { openfort } = await backendWithWallets(mock);
  const wallet = await openfort.accounts.evm.backend.create();
  await openfort.policies.create({
    scope: "project",
    rules: [
      {
        action: "accept",
        operation: "signEvmMessage",
        criteria: [{ type: "evmMessage", operator: "match", pattern: "^[0-9]+ apples$" }],
      },
      {
        action: "reject",
        operation: "sendEvmTransaction",
        criteria: [{ type: "evmAddress", operator: "in", addresses: [OTHER] }],
      },
    ],
  });

  const message = "12 apples";
  const signature = await wallet.signMessage({ message });
  assert.ok(await verifyMessage({ address: wallet.address, message, signature }));
  const error = await refusal(wallet.signMessage({ message: "a pear" }));
  assert.deepEqual([error.statusCode, error.errorType], [403, "forbidden"]);
  // A policy about messages does not matter for hashes.
  assert.ok(await wallet.sign({ hash: `0x${"07".repeat(32)}` }));
  const send = (to) =>
    openfort.transactionIntents.create({ chainId: 80002, account: wallet.id, interactions: [{ to, value: "0" }] });
  assert.equal((await send(TOKEN)).response.status, 1);
  assert.equal((await send(OTHER)).response.status, 0);
});

flow("fee sponsorships are created, listed, updated, disabled, enabled and deleted", async (mock) => {
  const { feeSponsorship, policies } = backend(mock);
  const policy = await policies.create({ scope: "project", rules: [onAmoy()] });
  const made = await feeSponsorship.create({
    name: "Gas on us",
    chainId: 80002,
    strategy: { sponsorSchema: "pay_for_user" },
    policyId: policy.id,
  });
  assert.match(made.id, /^pol_/);
  assert.equal(made.strategy.sponsorSchema, "pay_for_user");
  assert.equal(made.policyId, policy.id);
  assert.deepEqual(await feeSponsorship.get(made.id), made);

  assert.equal((await feeSponsorship.update(made.id, { name: "Gas" })).name, "Gas");
  assert.equal((await feeSponsorship.disable(made.id)).enabled, false);
  assert.deepEqual((await feeSponsorship.list({ enabled: false })).data.map(({ id }) => id), [made.id]);
  assert.equal((await feeSponsorship.enable(made.id)).enabled, true);
  assert.deepEqual((await feeSponsorship.list({ enabled: false })).data, []);

  const charged = await feeSponsorship.update(made.id, {
    strategy: { sponsorSchema: "charge_custom_tokens", tokenContract: await coin(mock), tokenContractAmount: "2" },
  });
  assert.equal(charged.strategy.sponsorSchema, "charge_custom_tokens");
  assert.equal((await feeSponsorship.delete(made.id)).deleted, true);
  assert.equal((await refusal(feeSponsorship.get(made.id))).statusCode, 404);
});

const coin = async (mock) => (await backend(mock).contracts.create({ name: "Coin", chainId: 80002, address: TOKEN })).id;

flow("a sponsorship needs a policy that exists", async (mock) => {
  const { feeSponsorship } = backend(mock);
  const error = await refusal(
    feeSponsorship.create({
      strategy: { sponsorSchema: "pay_for_user" },
      policyId: "ply_00000000-0000-0000-0000-000000000000",
    }),
  );
  assert.ok([400, 404].includes(error.statusCode), String(error.statusCode));
});
