// What applications do with a Solana node by Umi and Anchor. Prints what failed.
import assert from "node:assert/strict";
import anchor from "@coral-xyz/anchor";
import * as toolbox from "@metaplex-foundation/mpl-toolbox";
import { generateSigner, keypairIdentity, sol } from "@metaplex-foundation/umi";
import { createUmi } from "@metaplex-foundation/umi-bundle-defaults";
import { Connection, Keypair, LAMPORTS_PER_SOL } from "@solana/web3.js";
import { flow, report } from "./flow.mjs";

const [url] = process.argv.slice(2);
const options = { commitment: "confirmed", wsEndpoint: url.replace("http", "ws") };

await flow("tokens and a lookup table, by Umi", async () => {
  const umi = createUmi(url, options).use(toolbox.mplToolbox());
  const owner = generateSigner(umi);
  const [mint, other] = [generateSigner(umi), generateSigner(umi)];
  umi.use(keypairIdentity(owner));
  await umi.rpc.airdrop(owner.publicKey, sol(10));
  const about = { mint: mint.publicKey, owner: owner.publicKey };
  const token = toolbox.findAssociatedTokenPda(umi, about);
  const freezing = { account: token, mint: mint.publicKey, freezeAuthority: owner.publicKey };
  const authorities = { mintAuthority: owner.publicKey, freezeAuthority: owner.publicKey };
  await toolbox
    .createAccount(umi, {
      newAccount: mint,
      lamports: await umi.rpc.getRent(82),
      space: 82,
      programId: toolbox.SPL_TOKEN_PROGRAM_ID,
    })
    .add(toolbox.initializeMint2(umi, { mint: mint.publicKey, decimals: 2, ...authorities }))
    .add(toolbox.createAssociatedToken(umi, about))
    .add(toolbox.mintTokensTo(umi, { mint: mint.publicKey, token, amount: 500 }))
    .sendAndConfirm(umi);
  await toolbox.freezeToken(umi, { ...freezing, owner }).sendAndConfirm(umi);
  assert.equal((await toolbox.fetchToken(umi, token)).state, toolbox.TokenState.Frozen);
  const recentSlot = await umi.rpc.getSlot();
  const addresses = [other.publicKey, mint.publicKey];
  const [creating, table] = toolbox.createLut(umi, { recentSlot, authority: owner, addresses });
  await creating.sendAndConfirm(umi);
  const { signature } = await toolbox
    .transferSol(umi, { destination: other.publicKey, amount: sol(1) })
    .setAddressLookupTables([table])
    .sendAndConfirm(umi);
  const { meta, message } = await umi.rpc.getTransaction(signature, { commitment: "confirmed" });
  assert.deepEqual(meta.loadedAddresses, { writable: [other.publicKey], readonly: [] });
  assert.equal(message.addressLookupTables[0].publicKey, table.publicKey);
  assert.deepEqual(await umi.rpc.getBalance(other.publicKey), sol(1));
});

await flow("a program, by Anchor", async () => {
  const connection = new Connection(url, options);
  const wallet = new anchor.Wallet(Keypair.generate());
  const provider = new anchor.AnchorProvider(connection, wallet, options);
  const funded = await connection.requestAirdrop(wallet.publicKey, 10 * LAMPORTS_PER_SOL);
  await connection.confirmTransaction({ signature: funded, ...(await connection.getLatestBlockhash()) });
  const to = Keypair.generate().publicKey;
  const transferOf = (lamports) =>
    anchor.Native.system(provider)
      .methods.transfer(new anchor.BN(lamports))
      .accounts({ from: wallet.publicKey, to });
  const signature = await transferOf(LAMPORTS_PER_SOL).rpc();
  const shown = await connection.getParsedTransaction(signature, {
    commitment: "confirmed",
    maxSupportedTransactionVersion: 0,
  });
  const [{ program, parsed }] = shown.transaction.message.instructions;
  assert.deepEqual([program, parsed.type, parsed.info.lamports], ["system", "transfer", LAMPORTS_PER_SOL]);
  await assert.rejects(transferOf(100 * LAMPORTS_PER_SOL).rpc(), /custom program error: 0x1/);
  const metadata = { name: "counter", version: "0.1.0", spec: "0.1.0" };
  const instructions = [
    { name: "initialize", discriminator: [1, 2, 3, 4, 5, 6, 7, 8], accounts: [], args: [] },
  ];
  const missing = new anchor.Program({ address: to.toBase58(), metadata, instructions }, provider);
  await assert.rejects(missing.methods.initialize().rpc(), /is not executed here/);
});

report();
