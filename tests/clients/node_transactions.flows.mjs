import assert from "node:assert/strict";

import { hashTypedData, hexToBigInt } from "viem";
import { entryPoint06Address, getUserOperationHash } from "viem/account-abstraction";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { chainConfig } from "viem/zksync";

import { backend } from "./node_client.mjs";
import { flow } from "./play.mjs";

const RECIPIENT = "0x000000000000000000000000000000000000dEaD";
const AMOUNTS = /^(nonce|.*(Gas|GasLimit))$/;

/** An intent of a new smart account, whose owner is not known to the service. */
async function intentOf(openfort, owner, chainId, interactions) {
  const intent = await openfort.transactionIntents.create({ chainId, externalOwnerAddress: owner.address, interactions });
  assert.equal(intent.nextAction.type, "sign_with_wallet");
  return intent;
}

flow("a smart account's owner signs the hash that viem makes of the user operation", async (mock) => {
  const openfort = backend(mock);
  const owner = privateKeyToAccount(generatePrivateKey());
  const intent = await intentOf(openfort, owner, 80002, [{ to: RECIPIENT, value: "5" }]);
  assert.equal(intent.abstractionType, "accountAbstractionV6");
  const shown = Object.entries(intent.details.userOperation);
  const userOperation = Object.fromEntries(shown.map(([name, value]) => [name, AMOUNTS.test(name) ? hexToBigInt(value) : value]));
  const hash = getUserOperationHash({
    chainId: 80002,
    entryPointAddress: entryPoint06Address,
    entryPointVersion: "0.6",
    userOperation,
  });
  assert.equal(intent.nextAction.payload.signableHash, hash);

  const sent = await openfort.transactionIntents.signature(intent.id, { signature: await owner.sign({ hash }) });
  assert.equal(sent.response.status, 1);
  assert.equal(sent.response.to, entryPoint06Address);
});

flow("a smart account's owner on ZKsync signs the typed data that viem makes of the details", async (mock) => {
  const openfort = backend(mock);
  const owner = privateKeyToAccount(generatePrivateKey());
  const call = { to: RECIPIENT, value: "5" };
  const intent = await intentOf(openfort, owner, 300, [call, call]);
  assert.equal(intent.abstractionType, "zkSync");
  const { from, to, data, nonce, gas, maxFeePerGas, maxPriorityFeePerGas, value } = intent.details;
  const amounts = { gas: BigInt(gas), maxFeePerGas: BigInt(maxFeePerGas), maxPriorityFeePerGas: BigInt(maxPriorityFeePerGas) };
  const transaction = { type: "eip712", chainId: 300, nonce: Number(nonce), from, to, data, value: BigInt(value), ...amounts };
  const typedData = chainConfig.custom.getEip712Domain(transaction);
  assert.equal(intent.nextAction.payload.signableHash, hashTypedData(typedData));

  const sent = await openfort.transactionIntents.signature(intent.id, { signature: await owner.signTypedData(typedData) });
  assert.equal(sent.response.status, 1);
  assert.equal(sent.response.to, from);
  assert.deepEqual((await openfort.transactionIntents.get(intent.id)).response, sent.response);
});

flow("what an intent would cost is estimated", async (mock) => {
  const openfort = backend(mock);
  const asked = { chainId: 80002, interactions: [{ to: RECIPIENT, value: "5" }] };
  const estimate = await openfort.transactionIntents.estimateCost(asked);
  assert.ok(BigInt(estimate.estimatedTXGas) > 21_000n);
  assert.ok(BigInt(estimate.estimatedTXGasFee) > 0n);
});
