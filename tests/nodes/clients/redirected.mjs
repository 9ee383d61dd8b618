// A program whose hosts are fixed: every library asks the public node of a chain. Prints what failed.
import assert from "node:assert/strict";
import https, { get } from "node:https";
import { Connection, clusterApiUrl } from "@solana/web3.js";
import { ethers } from "ethers";
import { createPublicClient, http, webSocket } from "viem";
import { baseSepolia as chain } from "viem/chains";
import { flow, report } from "./flow.mjs";

const PUBLIC = "https://sepolia.base.org";
const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_chainId" });

await flow("viem", async () => {
  assert.equal(await createPublicClient({ chain, transport: http() }).getChainId(), 84532);
});

await flow("viem by WebSocket", async () => {
  const client = createPublicClient({ chain, transport: webSocket("wss://sepolia.base.org") });
  assert.equal(await client.getChainId(), 84532);
});

await flow("ethers", async () => {
  assert.ok((await new ethers.JsonRpcProvider(PUBLIC).getBlockNumber()) > 0);
});

await flow("@solana/web3.js", async () => {
  assert.ok((await new Connection(clusterApiUrl("devnet")).getSlot()) > 0);
});

await flow("fetch with a Request", async () => {
  const answer = await fetch(new Request(PUBLIC, { method: "POST", body }));
  assert.equal((await answer.json()).result, "0x14a34");
});

await flow("https", async () => {
  const answer = await new Promise((resolve, reject) => {
    const request = https.request(PUBLIC, { method: "POST" }, (response) => {
      response.setEncoding("utf8").on("data", resolve);
    });
    request.on("error", reject).end(body);
  });
  assert.equal(JSON.parse(answer).result, "0x14a34");
  const status = await new Promise((resolve, reject) => {
    get({ hostname: "sepolia.base.org", path: "/" }, (response) => resolve(response.statusCode)).on("error", reject);
  });
  assert.equal(status, 405);
});

await flow("other hosts are left alone", async () => {
  const answer = await fetch(`${process.env.MOCKSERVER_URL}/_mock/health`);
  assert.equal(answer.status, 200);
});

report();
