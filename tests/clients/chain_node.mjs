// A node of the simulated chain, as far as the clients ask one: delegations and nonces, from the control API.

import { createServer } from "node:http";

/** A node of one chain; `close` it when the flow is over. */
export async function chainNode(mock, chainId) {
  const known = (address) => mock.control("GET", `/chains/${chainId}/addresses/${address}`);
  const answers = {
    eth_chainId: () => `0x${chainId.toString(16)}`,
    net_version: () => String(chainId),
    eth_getTransactionCount: async (address) => `0x${(await known(address)).nonce.toString(16)}`,
    eth_getCode: async (address) => {
      const { delegate } = await known(address);
      return delegate ? `0xef0100${delegate.slice(2).toLowerCase()}` : "0x";
    },
  };
  const server = createServer(async (request, response) => {
    const { id, method, params } = JSON.parse(Buffer.concat(await request.toArray()).toString());
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result: await answers[method](...(params ?? [])) }));
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}
