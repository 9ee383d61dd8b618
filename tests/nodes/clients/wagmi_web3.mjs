// What applications do with a node by wagmi's test connector and by web3.js. Prints what failed.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import {
  connect,
  createConfig,
  deployContract,
  disconnect,
  getConnection,
  http,
  mock,
  readContract,
  sendTransaction,
  simulateContract,
  waitForTransactionReceipt,
  watchContractEvent,
  writeContract,
} from "@wagmi/core";
import { createTestClient, parseEther } from "viem";
import { baseSepolia as chain } from "viem/chains";
import { Web3 } from "web3";
import { flow, report, timeout, until } from "./flow.mjs";

const [nodeUrl, contracts] = process.argv.slice(2);
const { Token } = JSON.parse(readFileSync(contracts, "utf8")).contracts;
const bytecode = `0x${Token.creation_cancun.replace("0x", "")}`;
const OTHER = `0x${"ab".repeat(20)}`;
const SENDER = `0x${"5e".repeat(20)}`;
const test = createTestClient({ chain, mode: "anvil", transport: http(nodeUrl) });

// The connector has no key: the node sends for an account that it impersonates.
await flow("wagmi's test connector", async () => {
  await test.impersonateAccount({ address: SENDER });
  await test.setBalance({ address: SENDER, value: parseEther("1") });
  const served = { ...chain, rpcUrls: { default: { http: [nodeUrl] } } };
  const config = createConfig({
    chains: [served],
    connectors: [mock({ accounts: [SENDER] })],
    pollingInterval: 50,
    transports: { [chain.id]: http(nodeUrl) },
  });
  await connect(config, { connector: config.connectors[0] });
  assert.equal(getConnection(config).address.toLowerCase(), SENDER);
  const sent = await sendTransaction(config, { to: OTHER, value: 1n });
  assert.equal((await waitForTransactionReceipt(config, { hash: sent, timeout })).status, "success");
  const deployed = await deployContract(config, { abi: Token.abi, bytecode, args: ["T", "T", 1000n] });
  const { contractAddress: address } = await waitForTransactionReceipt(config, { hash: deployed, timeout });
  const token = { abi: Token.abi, address };
  const seen = [];
  const stop = watchContractEvent(config, {
    ...token,
    eventName: "Transfer",
    pollingInterval: 50,
    onLogs: (logs) => seen.push(...logs),
  });
  await new Promise((resolve) => setTimeout(resolve, 200));
  const { request } = await simulateContract(config, {
    ...token,
    functionName: "transfer",
    args: [OTHER, 5n],
  });
  await waitForTransactionReceipt(config, { hash: await writeContract(config, request), timeout });
  // Reads at the same time are one call of Multicall3.
  const balances = [SENDER, OTHER].map((each) =>
    readContract(config, { ...token, functionName: "balanceOf", args: [each] }),
  );
  assert.deepEqual(await Promise.all(balances), [995n, 5n]);
  await until(() => seen.length === 1);
  stop();
  await assert.rejects(
    simulateContract(config, { ...token, functionName: "transfer", args: [OTHER, 5000n] }),
    (error) => error.walk((each) => each.data?.errorName).data.errorName === "ERC20InsufficientBalance",
  );
  await disconnect(config);
});

await flow("web3.js", async () => {
  const web3 = new Web3(nodeUrl);
  web3.eth.transactionPollingInterval = 50;
  const account = web3.eth.accounts.wallet.add(`0x${"38".repeat(32)}`)[0];
  await test.setBalance({ address: account.address, value: parseEther("1") });
  const receipt = await web3.eth.sendTransaction({ from: account.address, to: OTHER, value: "1" });
  assert.equal(receipt.status, 1n);
  const contract = new web3.eth.Contract(Token.abi);
  const token = await contract
    .deploy({ data: bytecode, arguments: ["T", "T", "1000"] })
    .send({ from: account.address });
  const moved = await token.methods.transfer(OTHER, "5").send({ from: account.address });
  assert.equal(moved.events.Transfer.returnValues[2], 5n);
  assert.equal(await token.methods.balanceOf(OTHER).call(), 5n);
  assert.equal((await token.getPastEvents("Transfer", { fromBlock: 0 })).length, 2);
  const refused = token.methods.transfer(OTHER, "5000").send({ from: account.address });
  await assert.rejects(refused, (error) => error.cause.errorName === "ERC20InsufficientBalance");
});

await flow("web3.js by WebSocket", async () => {
  const web3 = new Web3(nodeUrl.replace("http", "ws"));
  const heads = [];
  const subscription = await web3.eth.subscribe("newHeads");
  subscription.on("data", (head) => heads.push(head));
  const account = web3.eth.accounts.wallet.add(`0x${"38".repeat(32)}`)[0];
  const receipt = await web3.eth.sendTransaction({ from: account.address, to: OTHER, value: "1" });
  await until(() => heads.some((head) => BigInt(head.number) >= receipt.blockNumber));
  await subscription.unsubscribe();
  web3.provider.disconnect();
});

report();
