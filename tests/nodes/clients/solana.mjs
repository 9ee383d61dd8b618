// What applications do with a Solana node, by @solana/web3.js, @solana/spl-token and @solana/kit. Prints what failed.
import assert from "node:assert/strict";
import * as kit from "@solana/kit";
import { getTransferSolInstruction } from "@solana-program/system";
import {
  TOKEN_PROGRAM_ID,
  createMint,
  getAccount,
  getOrCreateAssociatedTokenAccount,
  mintTo,
  transfer,
} from "@solana/spl-token";
import {
  Connection,
  Keypair,
  LAMPORTS_PER_SOL,
  SYSVAR_CLOCK_PUBKEY,
  SystemProgram,
  Transaction,
  sendAndConfirmTransaction,
} from "@solana/web3.js";
import { flow, report, until } from "./flow.mjs";

const [url] = process.argv.slice(2);
const wsEndpoint = url.replace("http", "ws");
const connection = new Connection(url, { commitment: "confirmed", wsEndpoint });
const payer = Keypair.generate();
const other = Keypair.generate();

const funded = await connection.requestAirdrop(payer.publicKey, 10 * LAMPORTS_PER_SOL);
await connection.confirmTransaction({ signature: funded, ...(await connection.getLatestBlockhash()) });

function transferOf(lamports) {
  const { publicKey: fromPubkey } = payer;
  return new Transaction().add(SystemProgram.transfer({ fromPubkey, toPubkey: other.publicKey, lamports }));
}

await flow("a transfer of SOL that is waited for by WebSocket", async () => {
  const changes = [];
  const logs = [];
  const listening = [
    connection.onAccountChange(other.publicKey, (account) => changes.push(account.lamports)),
    connection.onLogs(payer.publicKey, ({ err, signature }) => logs.push([err, signature])),
  ];
  await new Promise((resolve) => setTimeout(resolve, 300));
  const signature = await sendAndConfirmTransaction(connection, transferOf(LAMPORTS_PER_SOL), [payer]);
  await until(() => changes.length > 0 && logs.length > 0);
  assert.deepEqual(changes, [LAMPORTS_PER_SOL]);
  assert.deepEqual(logs, [[null, signature]]);
  await connection.removeAccountChangeListener(listening[0]);
  await connection.removeOnLogsListener(listening[1]);
  assert.equal(await connection.getBalance(other.publicKey), LAMPORTS_PER_SOL);
});

await flow("a transfer that fails", async () => {
  await assert.rejects(sendAndConfirmTransaction(connection, transferOf(1000 * LAMPORTS_PER_SOL), [payer]), (error) => {
    return error.message.includes("custom program error: 0x1") && error.logs.length > 0;
  });
});

await flow("slots", async () => {
  const slots = [];
  const id = connection.onSlotChange(({ slot }) => slots.push(slot));
  await new Promise((resolve) => setTimeout(resolve, 300));
  await sendAndConfirmTransaction(connection, transferOf(1), [payer]);
  await until(() => slots.length > 0);
  await connection.removeSlotChangeListener(id);
});

await flow("the time of the cluster", async () => {
  const { value } = await connection.getParsedAccountInfo(SYSVAR_CLOCK_PUBKEY);
  const { slot, unixTimestamp } = value.data.parsed.info;
  assert.equal(unixTimestamp, await connection.getBlockTime(slot));
});

await flow("what explorers ask of a cluster", async () => {
  const leader = await connection.getSlotLeader();
  assert.deepEqual(Object.keys(await connection.getLeaderSchedule()), [leader]);
  assert.deepEqual(Object.keys((await connection.getBlockProduction()).value.byIdentity), [leader]);
  assert.equal((await connection.getClusterNodes())[0].pubkey, leader);
  const { slotsInEpoch } = await connection.getEpochInfo();
  assert.equal((await connection.getEpochSchedule()).slotsPerEpoch, slotsInEpoch);
  assert.deepEqual(await connection.getInflationReward([payer.publicKey], 5), [null]);
  assert.equal((await connection.getInflationGovernor()).initial, (await connection.getInflationRate()).total);
  assert.deepEqual((await connection.getVoteAccounts()).current, []);
  const { value: supply } = await connection.getSupply();
  const { value: largest } = await connection.getLargestAccounts();
  assert.ok(supply.total >= largest[0].lamports);
  const [minute] = await connection.getRecentPerformanceSamples(1);
  assert.ok(minute.numTransactions <= (await connection.getTransactionCount()));
  const late = { minContextSlot: (await connection.getSlot()) + 1_000_000 };
  await assert.rejects(connection.getBalance(payer.publicKey, late), /Minimum context slot has not been reached/);
});

await flow("tokens", async () => {
  const mint = await createMint(connection, payer, payer.publicKey, null, 6);
  const [from, to] = await Promise.all(
    [payer, other].map((owner) => getOrCreateAssociatedTokenAccount(connection, payer, mint, owner.publicKey)),
  );
  const changes = [];
  const filters = [{ dataSize: 165 }, { memcmp: { offset: 0, bytes: mint.toBase58() } }];
  const listening = connection.onProgramAccountChange(TOKEN_PROGRAM_ID, (each) => changes.push(each), {
    filters,
  });
  await new Promise((resolve) => setTimeout(resolve, 300));
  await mintTo(connection, payer, mint, from.address, payer, 1_000_000);
  await until(() => changes.length > 0);
  assert.deepEqual(changes[0].accountId, from.address);
  await connection.removeProgramAccountChangeListener(listening);
  const held = await connection.getParsedProgramAccounts(TOKEN_PROGRAM_ID, { filters });
  const owners = held.map(({ account }) => account.data.parsed.info.owner).sort();
  assert.deepEqual(owners, [payer, other].map(({ publicKey }) => publicKey.toBase58()).sort());
  await transfer(connection, payer, from.address, to.address, payer, 400_000);
  assert.equal((await getAccount(connection, to.address)).amount, 400_000n);
  const { value: holders } = await connection.getTokenLargestAccounts(mint);
  assert.deepEqual(
    holders.map(({ amount }) => amount),
    ["600000", "400000"],
  );
});

const rpc = kit.createSolanaRpc(url);
const rpcSubscriptions = kit.createSolanaRpcSubscriptions(wsEndpoint);
const signer = await kit.createKeyPairSignerFromBytes(payer.secretKey);
const destination = kit.address(other.publicKey.toBase58());

function signTransfer(amount, setLifetime) {
  const message = kit.pipe(
    kit.createTransactionMessage({ version: 0 }),
    (each) => kit.setTransactionMessageFeePayerSigner(signer, each),
    setLifetime,
    (each) =>
      kit.appendTransactionMessageInstruction(
        getTransferSolInstruction({ source: signer, destination, amount }),
        each,
      ),
  );
  return kit.signTransactionMessageWithSigners(message);
}

await flow("kit", async () => {
  const { value: latest } = await rpc.getLatestBlockhash().send();
  const signed = await signTransfer(5n, (each) => kit.setTransactionMessageLifetimeUsingBlockhash(latest, each));
  await kit.sendAndConfirmTransactionFactory({ rpc, rpcSubscriptions })(signed, { commitment: "confirmed" });
  const signature = kit.getSignatureFromTransaction(signed);
  const options = { maxSupportedTransactionVersion: 0, encoding: "json" };
  const found = await rpc.getTransaction(signature, { ...options, commitment: "confirmed" }).send();
  assert.equal(found.meta.err, null);
  const token = kit.address(TOKEN_PROGRAM_ID.toBase58());
  const filters = [{ dataSize: 165n }, { memcmp: { offset: 32n, bytes: destination, encoding: "base58" } }];
  const held = await rpc.getProgramAccounts(token, { encoding: "base64", filters, withContext: true }).send();
  assert.equal(held.value.length, 1);
});

await flow("a durable nonce", async () => {
  const nonce = Keypair.generate();
  const { publicKey: noncePubkey } = nonce;
  const { publicKey: authorizedPubkey } = payer;
  const made = { fromPubkey: authorizedPubkey, noncePubkey, authorizedPubkey, lamports: 1_447_680 };
  const creation = new Transaction().add(SystemProgram.createNonceAccount(made));
  await sendAndConfirmTransaction(connection, creation, [payer, nonce]);
  const { nonce: nonceValue } = await connection.getNonce(noncePubkey);
  const minContextSlot = await connection.getSlot();
  const nonceInstruction = SystemProgram.nonceAdvance({ noncePubkey, authorizedPubkey });
  const sent = new Transaction({ nonceInfo: { nonce: nonceValue, nonceInstruction }, minContextSlot });
  sent.add(SystemProgram.transfer({ fromPubkey: authorizedPubkey, toPubkey: other.publicKey, lamports: 7 }));
  await sendAndConfirmTransaction(connection, sent, [payer]);

  const lifetime = {
    nonce: (await connection.getNonce(noncePubkey)).nonce,
    nonceAccountAddress: kit.address(noncePubkey.toBase58()),
    nonceAuthorityAddress: signer.address,
  };
  assert.notEqual(lifetime.nonce, nonceValue);
  const signed = await signTransfer(8n, (each) => kit.setTransactionMessageLifetimeUsingDurableNonce(lifetime, each));
  const confirm = kit.sendAndConfirmDurableNonceTransactionFactory({ rpc, rpcSubscriptions });
  await confirm(signed, { commitment: "confirmed" });
  const status = await connection.getSignatureStatus(kit.getSignatureFromTransaction(signed));
  assert.equal(status.value.err, null);
});

report();
