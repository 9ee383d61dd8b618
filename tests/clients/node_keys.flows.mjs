import assert from "node:assert/strict";

import { revokeWalletSecret, rotateWalletSecret } from "@openfort/openfort-node";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";

import { backend, backendWithWallets, newWalletSecret, possession } from "./node_client.mjs";
import { flow, refusal } from "./play.mjs";

flow("an EVM wallet's key is exported under seal and controls its address", async (mock) => {
  const { openfort } = await backendWithWallets(mock);
  const { backend: wallets } = openfort.accounts.evm;
  const wallet = await wallets.create();
  const key = await wallets.export({ id: wallet.id });
  const held = privateKeyToAccount(key.startsWith("0x") ? key : `0x${key}`);
  assert.equal(held.address, wallet.address);
});

flow("a Solana wallet's key is exported under seal", async (mock) => {
  const { openfort } = await backendWithWallets(mock);
  const { backend: wallets } = openfort.accounts.solana;
  const wallet = await wallets.create();
  assert.ok((await wallets.export({ id: wallet.id })).length > 60);
});

flow("an import under the client's own key is taken where the project says so", async (mock) => {
  const { openfort } = await backendWithWallets(mock);
  const { backend: wallets } = openfort.accounts.evm;
  const privateKey = generatePrivateKey();
  assert.equal((await refusal(wallets.import({ privateKey }))).statusCode ?? 400, 400);
  await mock.change({ lenient_imports: true });
  const wallet = await wallets.import({ privateKey });
  assert.match(wallet.address, /^0x[0-9a-fA-F]{40}$/);
  assert.equal((await wallets.get({ id: wallet.id })).address, wallet.address);
});

flow("a rotated secret stops working at once, and the new one works", async (mock) => {
  const { openfort } = await backendWithWallets(mock);
  await openfort.accounts.evm.backend.create();
  const next = newWalletSecret();
  const body = { newPublicKey: next.publicKey, newKeyId: next.keyId };
  const rotation = await possession(next, "rotate-secrets", body, mock);
  assert.equal((await refusal(rotateWalletSecret(rotation))).statusCode, 403);
  await mock.change({ aal2: true });
  const again = await possession(next, "rotate-secrets", body, mock);
  assert.ok((await rotateWalletSecret(again)).success);
  assert.equal((await refusal(openfort.accounts.evm.backend.create())).statusCode, 401);
  const renewed = backend(mock, next);
  assert.match((await renewed.accounts.evm.backend.create()).id, /^acc_/);
});

flow("a revoked secret is dead for good", async (mock) => {
  const { openfort, walletSecret } = await backendWithWallets(mock);
  const answer = await revokeWalletSecret({ keyId: walletSecret.keyId });
  assert.ok(answer.revoked);
  assert.equal((await refusal(openfort.accounts.evm.backend.create())).statusCode, 401);
});

flow("a Solana key is imported where the project says so", async (mock) => {
  const { openfort } = await backendWithWallets(mock);
  await mock.change({ lenient_imports: true });
  const { backend: wallets } = openfort.accounts.solana;
  const wallet = await wallets.import({ privateKey: generatePrivateKey().slice(2) });
  assert.equal((await wallets.get({ id: wallet.id })).address, wallet.address);
});
