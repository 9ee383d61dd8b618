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

/** Send twice: the first time with the delegation. */
async function sendTwice(mock) {
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
}

flow("a backend wallet sends transactions as a delegated account", { since: "0.10.8" }, sendTwice);

flow("a wallet signs the delegation to Calibur where it is published", { until: "0.10.2", fails: "Calibur is elsewhere" }, sendTwice);

flow("a backend wallet is made a delegated account", async (mock) => {
  const { openfort } = await backendWithWallets(mock);
  const { backend: wallets } = openfort.accounts.evm;
  const { id, walletId, address } = await wallets.create();
  const made = await wallets.update({ accountId: id, walletId, chainId: CHAIN, implementationType: "Calibur" });
  assert.notEqual(made.id, id);
  const { data } = await openfort.accounts.list({ address, accountType: "Delegated Account" });
  assert.deepEqual(data.map((account) => account.id), [made.id]);
});
