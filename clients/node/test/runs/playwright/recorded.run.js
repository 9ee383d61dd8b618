import { expect, test as base } from "@playwright/test";

import { mockTest } from "wallet-api-double/playwright";

const test = mockTest(base, {
  scenario: { given: [{ call: "createBackendWallet", body: { chainType: "EVM" } }] },
  recordDir: process.env.RECORD_DIR,
});

const ask = ({ url, secretKey }) =>
  fetch(`${url}/v1/contracts`, { headers: { authorization: `Bearer ${secretKey}` } });

test("passes", async ({ mockProject }) => {
  expect((await ask(mockProject)).status).toBe(200);
});

test("fails", async ({ mockProject }) => {
  expect((await ask(mockProject)).status).toBe(999);
});
