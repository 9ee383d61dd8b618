import assert from "node:assert/strict";

import { APIError } from "@openfort/openfort-node";

import { backend, textOf } from "./node_client.mjs";
import { flow, refusal } from "./play.mjs";

const TOKEN = "0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238";
const OTHER = "0x000000000000000000000000000000000000dEaD";

flow("contracts are registered, retrieved and listed", async (mock) => {
  const openfort = backend(mock);
  const abi = [
    {
      type: "function",
      name: "mint",
      stateMutability: "nonpayable",
      inputs: [{ name: "to", type: "address" }],
      outputs: [],
    },
  ];
  const made = await openfort.contracts.create({ name: "Coin", chainId: 80002, address: TOKEN, abi });
  assert.match(made.id, /^con_/);
  assert.equal(made.object, "contract");
  assert.equal(made.address, TOKEN);
  assert.equal(made.abi[0].name, "mint");
  assert.deepEqual(await openfort.contracts.get(made.id), made);
  await openfort.contracts.create({ name: "Other", chainId: 11155111, address: OTHER });
  assert.equal((await openfort.contracts.list()).total, 2);
  assert.deepEqual((await openfort.contracts.list({ chainId: 80002 })).data, [made]);
});

flow("a contract without an address is refused", async (mock) => {
  const error = await refusal(backend(mock).contracts.create({ name: "Coin", chainId: 80002 }));
  assert.ok(error instanceof APIError);
  assert.equal(error.statusCode, 400);
  assert.match(textOf(error), /address/);
});

flow("contracts are updated and deleted", async (mock) => {
  const { contracts } = backend(mock);
  const made = await contracts.create({ name: "Coin", chainId: 80002, address: TOKEN });
  assert.equal((await contracts.update(made.id, { name: "Token" })).name, "Token");
  assert.equal((await contracts.delete(made.id)).deleted, true);
  assert.equal((await contracts.list()).total, 0);
});
