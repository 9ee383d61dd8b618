import assert from "node:assert/strict";

import { recoverAddress } from "viem";

import { chainNode } from "./chain_node.mjs";
import { backendWithWallets } from "./node_client.mjs";
import { flow, only } from "./play.mjs";

// Before this version wallets only sign.
only({ since: "0.10.2" });

// Not Amoy: until 0.10.8 the client wants an implementation that is not there.
const CHAIN = 84532;
const RECIPIENT = "0x000000000000000000000000000000000000dEaD";

flow("a backend wallet sends transactions as a delegated account", async (mock) => {
  const { openfort } = await backendWithWallets(mock);
  const node = await chainNode(mock, CHAIN);
  const account = await openfort.accounts.evm.backend.create();
  const send = () =>
    openfort.accounts.evm.backend.sendTransaction({
      account,
      chainId: CHAIN,
      interactions: [{ to: RECIPIENT, value: "7" }],
      rpcUrl: node.url,
    });
  for (const times of [1, 2]) {
    const intent = await send();
    assert.equal(intent.response.status, 1);
    const { userOperationHash, userOperation } = intent.details;
    assert.equal(userOperation.sender, account.address);
    const signer = await recoverAddress({ hash: userOperationHash, signature: userOperation.signature });
    assert.equal(signer, account.address);
    const { balance_wei, operation_nonce } = await mock.control("GET", `/chains/${CHAIN}/addresses/${RECIPIENT}`);
    assert.equal(balance_wei, String(7 * times));
    assert.equal(operation_nonce, 0);
  }
  const { delegate, operation_nonce } = await mock.control("GET", `/chains/${CHAIN}/addresses/${account.address}`);
  assert.ok(delegate);
  assert.equal(operation_nonce, 2);
  node.close();
});
