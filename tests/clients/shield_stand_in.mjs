// The service that keeps users' shares, as far as the clients ask it: it takes whatever it is given.

import { createServer } from "node:http";

/** A service that answers every request with this, and keeps them; `close` it when the flow is over. */
export async function shieldStandIn(answer = { session_id: "session-1" }) {
  const asked = [];
  const server = createServer(async (request, response) => {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString());
    asked.push({ path: request.url, headers: request.headers, body });
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(answer));
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  return { url: `http://127.0.0.1:${server.address().port}`, asked, close: () => server.close() };
}
