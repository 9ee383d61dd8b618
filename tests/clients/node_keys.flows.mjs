import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";

import { getBase58Decoder } from "@solana/kit";
import { revokeWalletSecret, rotateWalletSecret } from "@openfort/openfort-node";
import { verifyMessage } from "viem";
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

flow("an EVM key that was announced is imported under the client's own import key", async (mock) => {
  const { openfort } = await backendWithWallets(mock);
  const { backend: wallets } = openfort.accounts.evm;
  const privateKey = generatePrivateKey();
  await mock.control("PUT", "/imports", { private_keys: [privateKey] });
  const wallet = await wallets.import({ privateKey });
  assert.equal(wallet.address, privateKeyToAccount(privateKey).address);
  assert.equal((await wallets.get({ id: wallet.id })).address, wallet.address);
  const signature = await wallet.signMessage({ message: "mine" });
  assert.ok(await verifyMessage({ address: wallet.address, message: "mine", signature }));
  const key = await wallets.export({ id: wallet.id });
  assert.equal(key.startsWith("0x") ? key : `0x${key}`, privateKey);
});

flow("a Solana key that was announced is imported, and leaves as it came", async (mock) => {
  const { openfort } = await backendWithWallets(mock);
  const { backend: wallets } = openfort.accounts.solana;
  const { d: seed, x: publicKey } = generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" });
  const { decode } = getBase58Decoder();
  const [raw, address] = [Buffer.from(seed, "base64url"), Buffer.from(publicKey, "base64url")];
  const privateKey = decode(Buffer.concat([raw, address]));
  await mock.control("PUT", "/imports", { private_keys: [privateKey] });
  const wallet = await wallets.import({ privateKey });
  assert.equal(wallet.address, decode(address));
  assert.equal(await wallets.export({ id: wallet.id }), privateKey);
});

flow("without an announcement an import makes a new key, unless the project is strict", async (mock) => {
  const { openfort } = await backendWithWallets(mock);
  const { backend: wallets } = openfort.accounts.evm;
  const privateKey = generatePrivateKey();
  const wallet = await wallets.import({ privateKey });
  assert.match(wallet.address, /^0x[0-9a-fA-F]{40}$/);
  assert.equal((await wallets.get({ id: wallet.id })).address, wallet.address);
  await mock.change({ strict: true });
  await refusal(wallets.import({ privateKey }));
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
