// What applications do with a node and a bundler, by viem, permissionless and ethers. Prints what failed.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { ethers } from "ethers";
import { createSmartAccountClient } from "permissionless";
import {
  toBiconomySmartAccount,
  toKernelSmartAccount,
  toSafeSmartAccount,
  toSimpleSmartAccount,
} from "permissionless/accounts";
import { createPimlicoClient } from "permissionless/clients/pimlico";
import {
  createPublicClient,
  createTestClient,
  createWalletClient,
  getContract,
  http,
  parseEther,
  webSocket,
} from "viem";
import {
  createBundlerClient,
  createPaymasterClient,
  entryPoint06Address,
  entryPoint07Address,
  toCoinbaseSmartAccount,
  toSimple7702SmartAccount,
  toSoladySmartAccount,
} from "viem/account-abstraction";
import { privateKeyToAccount } from "viem/accounts";
import { baseSepolia as chain } from "viem/chains";
import { failed, flow, report, timeout, until } from "./flow.mjs";

const [nodeUrl, bundlerUrl, publishableKey, contracts] = process.argv.slice(2);
const { Token } = JSON.parse(readFileSync(contracts, "utf8")).contracts;
const BYTECODE = `0x${Token.creation_cancun.replace("0x", "")}`;
const KEY = `0x${"37".repeat(32)}`;
const OTHER = `0x${"ab".repeat(20)}`;
const owner = privateKeyToAccount(KEY);
const transport = http(nodeUrl, { batch: true });
const bundlerTransport = http(bundlerUrl, {
  fetchOptions: { headers: { authorization: `Bearer ${publishableKey}` } },
});
const client = createPublicClient({ chain, transport, pollingInterval: 50 });
const wallet = createWalletClient({ account: owner, chain, transport });
const test = createTestClient({ chain, mode: "anvil", transport });
const paymaster = createPaymasterClient({ transport: bundlerTransport });
const entryPoint = { address: entryPoint07Address, version: "0.7" };
const older = { address: entryPoint06Address, version: "0.6" };

const receiptOf = (hash) => client.waitForTransactionReceipt({ hash, timeout });

async function deploy(supply = 1000n) {
  const hash = await wallet.deployContract({ abi: Token.abi, bytecode: BYTECODE, args: ["T", "T", supply] });
  const { contractAddress } = await receiptOf(hash);
  return getContract({ address: contractAddress, abi: Token.abi, client: { public: client, wallet } });
}

async function operate(account, options = {}) {
  const { authorization, ...more } = options;
  const bundler = createBundlerClient({
    account,
    client,
    chain,
    transport: bundlerTransport,
    pollingInterval: 50,
    ...more,
  });
  const calls = [{ to: OTHER, value: 0n, data: "0x1234" }];
  const hash = await bundler.sendUserOperation({ calls, ...(authorization && { authorization }) });
  const receipt = await bundler.waitForUserOperationReceipt({ hash, timeout });
  assert.equal(receipt.success, true);
  assert.equal(await account.isDeployed(), true);
}

await test.setBalance({ address: owner.address, value: parseEther("10") });

await flow("a transfer", async () => {
  const { status, gasUsed } = await receiptOf(await wallet.sendTransaction({ to: OTHER, value: 1n }));
  assert.deepEqual([status, gasUsed], ["success", 21_000n]);
  assert.equal(await client.getBalance({ address: OTHER }), 1n);
});

await flow("a delegation, whose gas and fees the node fills in", async () => {
  const account = privateKeyToAccount(`0x${"38".repeat(32)}`);
  await test.setBalance({ address: account.address, value: parseEther("1") });
  const other = createWalletClient({ account, chain, transport });
  const authorizationList = [await other.signAuthorization({ contractAddress: OTHER, executor: "self" })];
  const { type } = await receiptOf(await other.sendTransaction({ to: OTHER, authorizationList }));
  assert.equal(type, "eip7702");
  assert.equal(await client.getCode({ address: account.address }), `0xef0100${OTHER.slice(2)}`);
});

await flow("a contract", async () => {
  const token = await deploy();
  assert.equal(await token.read.balanceOf([owner.address]), 1000n);
  const { logs } = await receiptOf(await token.write.transfer([OTHER, 5n]));
  assert.equal(logs.length, 1);
  assert.equal((await token.getEvents.Transfer({}, { fromBlock: 0n })).length, 2);
  await assert.rejects(token.simulate.transfer([OTHER, 5000n], { account: owner }), (error) => {
    return error
      .walk((each) => each.name === "ContractFunctionRevertedError")
      .data.errorName.startsWith("ERC20");
  });
});

await flow("a simulation with what it changes", async () => {
  const token = await deploy();
  const { assetChanges, results } = await client.simulateCalls({
    account: owner.address,
    calls: [
      { to: OTHER, value: parseEther("1") },
      { to: token.address, abi: Token.abi, functionName: "transfer", args: [OTHER, 5n] },
      { to: token.address, abi: Token.abi, functionName: "transfer", args: [OTHER, 5000n] },
    ],
    traceAssetChanges: true,
    traceTransfers: true,
  });
  assert.deepEqual(
    results.map(({ status, logs }) => [status, logs?.length ?? 0]),
    [
      ["success", 1],
      ["success", 1],
      ["failure", 0],
    ],
  );
  assert.equal(results[2].error.cause.data.errorName, "ERC20InsufficientBalance");
  const changes = assetChanges.map((each) => [each.token.symbol, each.value.diff]);
  assert.deepEqual(changes, [
    ["ETH", -parseEther("1")],
    ["T", -5n],
  ]);
});

await flow("watching events", async () => {
  const token = await deploy();
  const seen = new Promise((resolve, reject) => {
    const unwatch = token.watchEvent.Transfer(
      {},
      {
        pollingInterval: 20,
        onLogs: (logs) => {
          unwatch();
          resolve(logs.length);
        },
        onError: reject,
      },
    );
  });
  await new Promise((resolve) => setTimeout(resolve, 200));
  await token.write.transfer([OTHER, 1n]);
  assert.equal(await seen, 1);
});

await flow("a test client", async () => {
  const id = await test.snapshot();
  const before = await client.getBlockNumber({ cacheTime: 0 });
  await test.mine({ blocks: 3 });
  assert.ok((await client.getBlockNumber({ cacheTime: 0 })) >= before + 3n);
  await test.increaseTime({ seconds: 10 });
  await test.setCode({ address: OTHER, bytecode: "0x60016000" });
  await test.impersonateAccount({ address: OTHER });
  await test.revert({ id });
  assert.equal(await client.getCode({ address: OTHER }), undefined);
});

await flow("an account that delegates", async () => {
  const account = await toSimple7702SmartAccount({ client, owner });
  const { address } = account.authorization;
  const authorization = await wallet.signAuthorization({ contractAddress: address });
  await operate(account, { paymaster: true, authorization });
  await operate(account, { paymaster: true });
});

for (const [name, make] of [
  ["Coinbase", () => toCoinbaseSmartAccount({ client, owners: [owner], version: "1.1" })],
  ["Solady", () => toSoladySmartAccount({ client, owner })],
]) {
  await flow(`an account of ${name}`, async () => {
    const account = await make();
    await operate(account, { paymaster });
    await operate(account, { paymaster });
  });
}

for (const [name, make] of [
  ["Simple", () => toSimpleSmartAccount({ client, owner, entryPoint })],
  ["Kernel", () => toKernelSmartAccount({ client, owners: [owner], version: "0.3.1", entryPoint })],
  ["Safe", () => toSafeSmartAccount({ client, owners: [owner], version: "1.4.1", entryPoint })],
  ["Kernel 2", () => toKernelSmartAccount({ client, owners: [owner], version: "0.2.4", entryPoint: older })],
  ["Biconomy", () => toBiconomySmartAccount({ client, owners: [owner], entryPoint: older })],
]) {
  await flow(`permissionless' account of ${name}`, async () => {
    const pimlico = createPimlicoClient({ chain, transport: bundlerTransport });
    const estimateFeesPerGas = async () => (await pimlico.getUserOperationGasPrice()).fast;
    const smart = createSmartAccountClient({
      account: await make(),
      chain,
      client,
      bundlerTransport,
      paymaster: pimlico,
      userOperation: { estimateFeesPerGas },
    });
    const [before, { address }] = [await client.getBalance({ address: OTHER }), smart.account];
    await test.setBalance({ address, value: 6n });
    await smart.sendTransaction({ to: OTHER, value: 1n });
    await smart.sendTransaction({ calls: [2n, 3n].map((value) => ({ to: OTHER, value })) });
    assert.equal((await client.getBalance({ address: OTHER })) - before, 6n);
  });
}

await flow("ethers", async () => {
  const provider = new ethers.JsonRpcProvider(nodeUrl, undefined, { cacheTimeout: -1, polling: true });
  provider.pollingInterval = 50;
  try {
    const signer = new ethers.Wallet(KEY, provider);
    const sent = await signer.sendTransaction({ to: OTHER, value: 1n });
    assert.equal((await sent.wait(1, timeout)).status, 1);
    const token = await new ethers.ContractFactory(Token.abi, BYTECODE, signer).deploy("A", "A", 5n);
    await token.waitForDeployment();
    assert.equal(await token.balanceOf(signer.address), 5n);
  } finally {
    provider.destroy();
  }
});

await flow("a signer of ethers for an account that is impersonated", async () => {
  const provider = new ethers.JsonRpcProvider(nodeUrl, undefined, { cacheTimeout: -1, polling: true });
  try {
    await provider.send("anvil_impersonateAccount", [OTHER]);
    await provider.send("anvil_setBalance", [OTHER, ethers.toQuantity(10n ** 18n)]);
    const signer = await provider.getSigner(OTHER);
    const sent = await signer.sendTransaction({ to: owner.address, value: 7n });
    assert.equal((await sent.wait()).status, 1);
    await provider.send("anvil_stopImpersonatingAccount", [OTHER]);
    await assert.rejects(provider.getSigner(OTHER), /invalid account/);
  } finally {
    provider.destroy();
  }
});

await flow("watching by WebSocket", async () => {
  const socket = webSocket(nodeUrl.replace("http", "ws"), { keepAlive: false });
  const live = createPublicClient({ chain, transport: socket });
  const token = await deploy();
  const heads = [];
  const events = [];
  const stops = [
    live.watchBlocks({ onBlock: (block) => heads.push(block), onError: (error) => failed.push(`${error}`) }),
    live.watchContractEvent({
      address: token.address,
      abi: Token.abi,
      eventName: "Transfer",
      onLogs: (logs) => events.push(...logs),
      onError: (error) => failed.push(`${error}`),
    }),
  ];
  // The subscriptions are made one after the other, and an answer says that they were.
  await live.getBlockNumber();
  await new Promise((resolve) => setTimeout(resolve, 100));
  const hash = await wallet.writeContract({
    address: token.address,
    abi: Token.abi,
    functionName: "transfer",
    args: [OTHER, 7n],
  });
  const receipt = await live.waitForTransactionReceipt({ hash, timeout });
  await until(() => events.length === 1 && heads.some((head) => head.number >= receipt.blockNumber));
  assert.equal(events[0].args.value ?? events[0].args.amount, 7n);
  const replaced = heads.find((head) => head.number === receipt.blockNumber);
  await wallet.transport.request({ method: "anvil_reorg", params: [100, []] });
  await until(() => heads.some((head) => head.number === replaced.number && head.hash !== replaced.hash));
  await until(() => events.some((event) => event.removed));
  for (const stop of stops) stop();
  (await socket({ chain }).value.getRpcClient()).close();
});

await flow("ethers by WebSocket", async () => {
  const provider = new ethers.WebSocketProvider(nodeUrl.replace("http", "ws"));
  const signer = new ethers.Wallet(KEY, provider);
  const seen = [];
  await provider.on("block", (number) => seen.push(number));
  const sent = await signer.sendTransaction({ to: OTHER, value: 1n });
  const receipt = await sent.wait(1, timeout);
  assert.equal(receipt.status, 1);
  await until(() => seen.some((number) => number >= receipt.blockNumber));
  await provider.destroy();
});

report();
