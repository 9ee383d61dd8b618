// The reference implementation of sign-in, in memory: `node better_auth.mjs`. It prints its URL, and ends with its input.

import { randomUUID } from "node:crypto";
import { createServer } from "node:http";

import { betterAuth, generateId } from "better-auth";
import { memoryAdapter } from "better-auth/adapters/memory";
import { toNodeHandler } from "better-auth/node";
import { anonymous, bearer, emailOTP, phoneNumber } from "better-auth/plugins";

const tables = { user: [], session: [], account: [], verification: [] };
const auth = betterAuth({
  basePath: "/iam/v2/auth",
  baseURL: "http://127.0.0.1",
  secret: "a secret of the reference",
  database: memoryAdapter(tables),
  emailAndPassword: { enabled: true },
  // The service's users have such ids.
  advanced: {
    database: { generateId: ({ model }) => (model === "user" ? `usr_${randomUUID()}` : generateId()) },
  },
  rateLimit: { enabled: false },
  logger: { disabled: true },
  telemetry: { enabled: false },
  plugins: [
    anonymous(),
    bearer(),
    emailOTP({ sendVerificationOTP: async () => {} }),
    phoneNumber({ sendOTP: async () => {} }),
  ],
});

const server = createServer(toNodeHandler(auth));
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
process.stdin.resume();
process.stdin.on("end", () => process.exit());
