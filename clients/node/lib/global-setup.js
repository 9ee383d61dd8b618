// One server for all files of a run: the `globalSetup` of vitest and of jest.

import { TOKEN_VARIABLE } from "./connection.js";
import { URL_VARIABLE } from "./environment.js";
import { openServer } from "./starting.js";

/** Start a server, unless the environment names one, and tell the workers; the end of it is returned. */
export default async function setUp() {
  const { server, close } = await openServer();
  process.env[URL_VARIABLE] = server.url;
  if (server.controlToken) process.env[TOKEN_VARIABLE] = server.controlToken;
  // vitest calls this at the end. jest does not: there the server ends with the process.
  return close;
}
