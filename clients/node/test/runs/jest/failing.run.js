import { expect, test as base } from "@jest/globals";

import { mockTest } from "wallet-api-double/jest";

const recordDir = process.env.RECORD_DIR;
const test = mockTest(base, { recordDir });
const unused = mockTest(base, { scenario: "../outage.yaml", recordDir });
const strict = mockTest(base, { strictKeys: true, recordDir });
const wallet = { given: [{ call: "createBackendWallet", body: { chainType: "EVM" } }] };
const given = mockTest(base, { scenario: wallet, recordDir });

const ask = (path, { url, secretKey }) =>
  fetch(`${url}${path}`, { headers: { authorization: `Bearer ${secretKey}` } });

test("an assertion", async (mockProject) => {
  await mockProject.fate({ outcome: "reverted" });
  await ask("/v1/contracts/con_nowhere", mockProject);
  expect(1).toBe(2);
});

unused("a rule that never fires", async (mockProject) => {
  await ask("/v2/accounts", mockProject);
});

strict("an undeclared key", async (mockProject) => {
  await ask("/v1/contracts", { url: mockProject.url, secretKey: "sk_test_wrong" });
});

given("after the steps of a scenario", async (mockProject) => {
  expect((await ask("/v1/contracts", mockProject)).status).toBe(999);
});

test("nothing", async (mockProject) => {
  expect((await ask("/v1/contracts", mockProject)).status).toBe(200);
});
