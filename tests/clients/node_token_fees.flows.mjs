// A user who has no SOL pays fees in a token, by the client of Kora.

import assert from "node:assert/strict";

import * as kit from "@solana/kit";
import { createKitKoraClient } from "@solana/kora";
import { getCreateAccountInstruction, getTransferSolInstruction } from "@solana-program/system";
import {
  TOKEN_PROGRAM_ADDRESS,
  fetchToken,
  findAssociatedTokenPda,
  getCreateAssociatedTokenInstructionAsync,
  getInitializeMint2Instruction,
  getMintToInstruction,
} from "@solana-program/token";

import { flow } from "./play.mjs";

const SOL = 10n ** 9n;
const MINT_SIZE = 82n;

/** Send instructions to the node, paid by a signer. */
async function send(rpc, payer, instructions) {
  const { value } = await rpc.getLatestBlockhash().send();
  const message = kit.pipe(
    kit.createTransactionMessage({ version: 0 }),
    (each) => kit.setTransactionMessageFeePayerSigner(payer, each),
    (each) => kit.setTransactionMessageLifetimeUsingBlockhash(value, each),
    (each) => kit.appendTransactionMessageInstructions(instructions, each),
  );
  const signed = await kit.signTransactionMessageWithSigners(message);
  await rpc.sendTransaction(kit.getBase64EncodedWireTransaction(signed), { encoding: "base64" }).send();
}

/** A mint of six decimals, of which a user has five. */
async function makeToken(rpc, user) {
  const [issuer, mint] = await Promise.all([kit.generateKeyPairSigner(), kit.generateKeyPairSigner()]);
  await rpc.requestAirdrop(issuer.address, SOL).send();
  const lamports = await rpc.getMinimumBalanceForRentExemption(MINT_SIZE).send();
  const [token] = await findAssociatedTokenPda({ mint: mint.address, owner: user.address, tokenProgram: TOKEN_PROGRAM_ADDRESS });
  const owned = { payer: issuer, mint: mint.address, owner: user.address };
  await send(rpc, issuer, [
    getCreateAccountInstruction({ payer: issuer, newAccount: mint, lamports, space: MINT_SIZE, programAddress: TOKEN_PROGRAM_ADDRESS }),
    getInitializeMint2Instruction({ mint: mint.address, decimals: 6, mintAuthority: issuer.address }),
    await getCreateAssociatedTokenInstructionAsync(owned),
    getMintToInstruction({ mint: mint.address, token, mintAuthority: issuer, amount: 5_000_000 }),
  ]);
  return mint.address;
}

flow("a user without SOL pays the fee in a token", { since: "0.10.8" }, async (mock) => {
  const rpcUrl = `${mock.url}/_mock/projects/${mock.id}/solana/devnet/rpc`;
  const rpc = kit.createSolanaRpc(rpcUrl);
  const [user, other] = await Promise.all([kit.generateKeyPairSigner(), kit.generateKeyPairSigner()]);
  const feeToken = await makeToken(rpc, user);
  await rpc.requestAirdrop(user.address, SOL).send();
  const rule = { action: "accept", operation: "sponsorSolTransaction", criteria: [] };
  const policy = await mock.api("POST", "/v2/policies", { scope: "project", rules: [rule] });
  const strategy = { sponsorSchema: "charge_custom_tokens", splTokens: [feeToken] };
  await mock.api("POST", "/v2/fee-sponsorship", { policyId: policy.id, strategy });

  const endpoint = `${mock.url}/rpc/solana/devnet`;
  const client = await createKitKoraClient({ endpoint, rpcUrl, feeToken, feePayerWallet: user, apiKey: mock.publishableKey });
  assert.deepEqual((await client.kora.getConfig()).validation_config.allowed_spl_paid_tokens, [feeToken]);
  const sent = await client.sendTransaction([getTransferSolInstruction({ source: user, destination: other.address, amount: SOL })]);
  assert.equal(sent.status, "successful");

  // Two signatures, at 2,500 dollars a SOL.
  const [paid] = await findAssociatedTokenPda({ mint: feeToken, owner: client.paymentAddress, tokenProgram: TOKEN_PROGRAM_ADDRESS });
  assert.equal((await fetchToken(rpc, paid)).data.amount, 25_000n);
  assert.equal((await rpc.getBalance(user.address).send()).value, 0n);
  assert.equal((await rpc.getBalance(other.address).send()).value, SOL);
});
