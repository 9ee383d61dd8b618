// What applications do with a rollup by viem's OP Stack, x402, Permit2, ENS and ethers 5. Prints what failed.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { x402Client } from "@x402/core/client";
import { x402Facilitator } from "@x402/core/facilitator";
import { toFacilitatorEvmSigner } from "@x402/evm";
import { ExactEvmScheme as PayingScheme } from "@x402/evm/exact/client";
import { ExactEvmScheme as SettlingScheme } from "@x402/evm/exact/facilitator";
import { ethers } from "ethers5";
import {
  createPublicClient,
  createTestClient,
  createWalletClient,
  erc20Abi,
  http,
  parseAbi,
  parseEther,
  publicActions,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { baseSepolia as chain, sepolia } from "viem/chains";
import { publicActionsL2 } from "viem/op-stack";
import { flow, report, timeout } from "./flow.mjs";

// Its modules are only found by bundlers.
const { AllowanceProvider, AllowanceTransfer, PERMIT2_ADDRESS } = createRequire(import.meta.url)(
  "@uniswap/permit2-sdk",
);
const [nodeUrl, sepoliaUrl, contracts] = process.argv.slice(2);
const { Token } = JSON.parse(readFileSync(contracts, "utf8")).contracts;
const USDC = "0x036CbD53842c5426634e7929541eC2318f3dCF7e";
const OTHER = "0xABaBaBaBABabABabAbAbABAbABabababaBaBABaB";
const [payer, facilitating] = ["37", "38"].map((digits) => privateKeyToAccount(`0x${digits.repeat(32)}`));
const transport = http(nodeUrl);
const test = createTestClient({ chain, mode: "anvil", transport });
const client = createPublicClient({ chain, transport, pollingInterval: 50 }).extend(publicActionsL2());
const wallet = createWalletClient({ account: facilitating, chain, transport, pollingInterval: 50 }).extend(
  publicActions,
);
const balanceOf = (address, blockNumber) =>
  client.readContract({
    abi: erc20Abi,
    address: USDC,
    functionName: "balanceOf",
    args: [address],
    blockNumber,
  });

for (const { address } of [payer, facilitating]) {
  await test.setBalance({ address, value: parseEther("1") });
}

await flow("the fees of a rollup", async () => {
  const sent = { account: facilitating, to: OTHER, value: 1n };
  const [l1, total] = [await client.estimateL1Fee(sent), await client.estimateTotalFee(sent)];
  const hash = await wallet.sendTransaction(sent);
  const receipt = await client.waitForTransactionReceipt({ hash, timeout });
  assert.ok(receipt.l1Fee <= l1 && l1 < total);
  assert.equal(receipt.l1Fee, receipt.l1GasUsed * (await client.getL1BaseFee()));
});

await flow("a payment by x402", async () => {
  const signer = toFacilitatorEvmSigner({
    address: facilitating.address,
    ...Object.fromEntries(
      [
        "readContract",
        "writeContract",
        "sendTransaction",
        "verifyTypedData",
        "waitForTransactionReceipt",
        "getCode",
      ].map((name) => [name, (given) => wallet[name](given)]),
    ),
  });
  const network = `eip155:${chain.id}`;
  const facilitator = new x402Facilitator().register(network, new SettlingScheme(signer));
  const paying = new x402Client().register("eip155:*", new PayingScheme(payer));
  const terms = {
    scheme: "exact",
    network,
    asset: USDC,
    amount: "1000",
    payTo: OTHER,
    maxTimeoutSeconds: 300,
  };
  const wanted = { ...terms, extra: { name: "USDC", version: "2" } };
  const before = await client.getBlockNumber();
  const resource = { url: "http://localhost/", description: "", mimeType: "" };
  const payload = await paying.createPaymentPayload({ x402Version: 2, resource, accepts: [wanted] });
  assert.equal((await facilitator.verify(payload, wanted)).isValid, true);
  assert.equal((await facilitator.settle(payload, wanted)).success, true);
  assert.equal(
    (await facilitator.settle(payload, wanted)).errorReason,
    "invalid_exact_evm_nonce_already_used",
  );
  assert.deepEqual([await balanceOf(OTHER), await balanceOf(OTHER, before)], [1000n, 0n]);
});

await flow("an allowance that is signed, by Permit2", async () => {
  const provider = new ethers.providers.StaticJsonRpcProvider(nodeUrl);
  const allowances = new AllowanceProvider(provider, PERMIT2_ADDRESS);
  const [owner, spender] = [payer.address, facilitating.address];
  const details = { token: USDC, amount: "40", expiration: 2 ** 40, nonce: 0 };
  const permit = { details, spender, sigDeadline: 2 ** 40 };
  const { domain, types, values } = AllowanceTransfer.getPermitData(permit, PERMIT2_ADDRESS, chain.id);
  const signer = new ethers.Wallet(`0x${"37".repeat(32)}`, provider);
  const signature = await signer._signTypedData(domain, types, values);
  const abi = parseAbi([
    "struct Details { address token; uint160 amount; uint48 expiration; uint48 nonce; }",
    "struct Permit { Details details; address spender; uint256 sigDeadline; }",
    "function permit(address owner, Permit permit, bytes signature)",
  ]);
  const asked = { address: PERMIT2_ADDRESS, abi, functionName: "permit", args: [owner, permit, signature] };
  await client.waitForTransactionReceipt({ hash: await wallet.writeContract(asked), timeout });
  assert.equal((await allowances.getAllowance(USDC, owner, spender)).toNumber(), 40);
});

await flow("names", async () => {
  const names = createPublicClient({ chain: sepolia, transport: http(sepoliaUrl) });
  assert.equal(await names.getEnsName({ address: OTHER }), null);
  assert.equal(await names.getEnsAddress({ name: "nobody.eth" }), null);
  assert.equal(await new ethers.providers.StaticJsonRpcProvider(sepoliaUrl).resolveName("nobody.eth"), null);
});

await flow("a transaction without a signature", async () => {
  const hash = await test.sendUnsignedTransaction({ from: payer.address, to: OTHER, value: 1n });
  assert.equal((await client.waitForTransactionReceipt({ hash, timeout })).status, "success");
});

await flow("ethers 5", async () => {
  const provider = new ethers.providers.JsonRpcProvider(nodeUrl);
  provider.pollingInterval = 50;
  const signer = new ethers.Wallet(`0x${"37".repeat(32)}`, provider);
  const factory = new ethers.ContractFactory(
    Token.abi,
    `0x${Token.creation_cancun.replace("0x", "")}`,
    signer,
  );
  const token = await factory.deploy("T", "T", 1000);
  await token.deployed();
  const before = await provider.getBlockNumber();
  const receipt = await (await token.transfer(OTHER, 5)).wait();
  assert.equal(receipt.events[0].event, "Transfer");
  assert.equal((await token.balanceOf(OTHER)).toNumber(), 5);
  assert.equal((await token.balanceOf(OTHER, { blockTag: before })).toNumber(), 0);
  await assert.rejects(token.callStatic.transfer(OTHER, 5000), { errorName: "ERC20InsufficientBalance" });
  await assert.rejects(signer.sendTransaction({ to: OTHER, nonce: 0 }), { code: "NONCE_EXPIRED" });
});

report();
