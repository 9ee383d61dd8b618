import assert from "node:assert/strict";

import {
  address,
  appendTransactionMessageInstruction,
  blockhash,
  compileTransaction,
  createTransactionMessage,
  getBase58Encoder,
  getBase64Decoder,
  getPublicKeyFromAddress,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  signatureBytes,
  verifySignature,
} from "@solana/kit";
import { APIError } from "@openfort/openfort-node";
import {
  keccak256,
  parseEther,
  parseTransaction,
  recoverAddress,
  recoverTransactionAddress,
  verifyMessage,
  verifyTypedData,
} from "viem";

import { backend, backendWithWallets, newWalletSecret } from "./node_client.mjs";
import { flow, refusal } from "./play.mjs";

const RECIPIENT = "0x000000000000000000000000000000000000dEaD";

flow("EVM wallets are created, retrieved by id and by address, and listed", async (mock) => {
  const { openfort } = await backendWithWallets(mock);
  const { backend: wallets } = openfort.accounts.evm;
  const made = [await wallets.create(), await wallets.create()];
  for (const wallet of made) {
    assert.match(wallet.id, /^acc_/);
    assert.equal((await wallets.get({ id: wallet.id })).address, wallet.address);
    assert.equal((await wallets.get({ address: wallet.address })).id, wallet.id);
  }
  const listed = await wallets.list({ limit: 10 });
  assert.equal(listed.total, 2);
  assert.deepEqual(listed.accounts.map(({ id }) => id).sort(), made.map(({ id }) => id).sort());
});

flow("an EVM wallet signs hashes, messages, typed data and transactions that recover to its address", async (mock) => {
  const { openfort } = await backendWithWallets(mock);
  const wallet = await openfort.accounts.evm.backend.create();

  const hash = keccak256("0xc0ffee");
  assert.equal(await recoverAddress({ hash, signature: await wallet.sign({ hash }) }), wallet.address);
  const data = await openfort.accounts.evm.backend.sign({ id: wallet.id, data: hash });
  assert.equal(await recoverAddress({ hash, signature: data }), wallet.address);

  for (const message of ["Pay Bob one dime.", "", "ünïcödé ✓", { raw: "0x00ff" }]) {
    const signature = await wallet.signMessage({ message });
    assert.ok(await verifyMessage({ address: wallet.address, message, signature }), JSON.stringify(message));
  }

  const typed = {
    domain: { name: "Shop", version: "1", chainId: 80002, verifyingContract: RECIPIENT },
    types: { Order: [{ name: "buyer", type: "address" }, { name: "cents", type: "uint256" }] },
    primaryType: "Order",
    message: { buyer: wallet.address, cents: 1999n },
  };
  assert.ok(await verifyTypedData({ address: wallet.address, ...typed, signature: await wallet.signTypedData(typed) }));

  const fees = { nonce: 3, gas: 21_000n, to: RECIPIENT, value: parseEther("0.01") };
  for (const transaction of [
    { type: "eip1559", chainId: 80002, maxFeePerGas: 30n, maxPriorityFeePerGas: 2n, ...fees },
    { type: "eip2930", chainId: 80002, gasPrice: 30n, accessList: [{ address: RECIPIENT, storageKeys: [] }], ...fees },
    { type: "legacy", chainId: 80002, gasPrice: 30n, ...fees },
  ]) {
    const serializedTransaction = await wallet.signTransaction(transaction);
    assert.equal(parseTransaction(serializedTransaction).value, transaction.value);
    assert.equal(await recoverTransactionAddress({ serializedTransaction }), wallet.address, transaction.type);
  }
});

flow("a Solana wallet signs messages and transactions that verify under its address", async (mock) => {
  const { openfort } = await backendWithWallets(mock);
  const { backend: wallets } = openfort.accounts.solana;
  const wallet = await wallets.create();
  assert.equal((await wallets.get({ id: wallet.id })).address, wallet.address);
  assert.equal((await wallets.get({ address: wallet.address })).id, wallet.id);
  assert.deepEqual((await wallets.list()).accounts.map(({ id }) => id), [wallet.id]);

  const key = await getPublicKeyFromAddress(address(wallet.address));
  const verifies = (signature, bytes) => verifySignature(key, signatureBytes(bytesOf(signature)), bytes);
  const message = "Pay Bob one lamport. ✓";
  assert.ok(await verifies(await wallet.signMessage({ message }), new TextEncoder().encode(message)));

  const { messageBytes } = compileTransaction(transfer(address(wallet.address)));
  const transaction = getBase64Decoder().decode(messageBytes);
  assert.ok(await verifies(await wallet.signTransaction({ transaction }), messageBytes));
});

/** The bytes of a signature in hex or in base58. */
const bytesOf = (signature) =>
  signature.startsWith("0x") ? Buffer.from(signature.slice(2), "hex") : getBase58Encoder().encode(signature);

/** A message that moves one lamport from a wallet to itself. */
const transfer = (wallet) =>
  pipe(
    createTransactionMessage({ version: 0 }),
    (message) => setTransactionMessageFeePayer(wallet, message),
    (message) =>
      setTransactionMessageLifetimeUsingBlockhash(
        { blockhash: blockhash("4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM"), lastValidBlockHeight: 1n },
        message,
      ),
    (message) =>
      appendTransactionMessageInstruction(
        {
          programAddress: address("11111111111111111111111111111111"),
          accounts: [{ address: wallet, role: 3 }, { address: wallet, role: 1 }],
          data: new Uint8Array([2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]),
        },
        message,
      ),
  );

flow("a wallet delegates to one implementation, and then to another", { since: "0.10.2" }, async (mock) => {
  const { openfort } = await backendWithWallets(mock);
  const { backend: wallets } = openfort.accounts.evm;
  const wallet = await wallets.create();
  const chainId = 84532;
  const delegate = (implementationType) =>
    wallets.update({ walletId: wallet.walletId, accountId: wallet.id, chainId, implementationType });
  const isActive = async ({ id }) => (await mock.api("GET", `/v2/accounts/${id}`)).smartAccount.active;
  const use = ({ id }) => mock.api("POST", "/v2/transactions", { accountId: id, chainId, calls: [{ to: RECIPIENT }] });

  const calibur = await delegate("Calibur");
  assert.equal(calibur.smartAccount.implementationAddress, "0x000000009B1D0aF20D8C6d0A44e162d11F9b8f00");
  await use(calibur);
  const newer = await delegate("CaliburV9");
  assert.equal(newer.address, calibur.address);
  await use(newer);
  assert.deepEqual([await isActive(calibur), await isActive(newer)], [false, true]);
});

flow("wallets of both kinds of chain are in one list", async (mock) => {
  const { openfort } = await backendWithWallets(mock);
  await openfort.accounts.evm.backend.create();
  await openfort.accounts.solana.backend.create();
  const all = await openfort.accounts.list();
  assert.deepEqual(all.data.map(({ chainType }) => chainType).sort(), ["EVM", "SVM"]);
  assert.equal((await openfort.accounts.evm.list()).total, 1);
  assert.equal((await openfort.accounts.solana.list({ custody: "Developer" })).total, 1);
});

flow("a wallet that is deleted neither signs nor is found", async (mock) => {
  const { openfort } = await backendWithWallets(mock);
  const { backend: wallets } = openfort.accounts.evm;
  const wallet = await wallets.create();
  assert.equal((await wallets.delete(wallet.id)).deleted, true);
  const signing = await refusal(wallet.signMessage({ message: "hello" }));
  assert.ok(signing instanceof APIError);
  assert.equal(signing.statusCode, 404);
  assert.equal((await wallets.list()).total, 0);
});

flow("a request that is signed with another secret is refused", async (mock) => {
  const { openfort } = await backendWithWallets(mock);
  await openfort.accounts.evm.backend.create();
  const error = await refusal(backend(mock, newWalletSecret()).accounts.evm.backend.create());
  assert.ok(error instanceof APIError);
  assert.equal(error.statusCode, 401);
});

flow("a Solana wallet signs bytes by its id, and is deleted", async (mock) => {
  const { openfort } = await backendWithWallets(mock);
  const { backend: wallets } = openfort.accounts.solana;
  const { id, address: owner } = await wallets.create();
  const signature = await wallets.sign(id, "0x68656c6c6f");
  const key = await getPublicKeyFromAddress(address(owner));
  assert.ok(await verifySignature(key, signatureBytes(bytesOf(signature)), new TextEncoder().encode("hello")));
  assert.equal((await wallets.delete(id)).deleted, true);
  assert.equal((await wallets.list()).total, 0);
});
