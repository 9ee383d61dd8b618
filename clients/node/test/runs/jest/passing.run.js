import { describe, expect, test as base } from "@jest/globals";

import { mockTest } from "wallet-api-double/jest";

const test = mockTest(base);
const away = mockTest(base, { scenario: "../outage.yaml" });
const idle = mockTest(base, { scenario: "../outage.yaml", unusedRules: "allow" });

const ask = ({ url, secretKey }) =>
  fetch(`${url}/v1/contracts`, { headers: { authorization: `Bearer ${secretKey}` } });

describe("a suite", () => {
  test("has a project", async (mockProject) => {
    expect(mockProject.name).toMatch(/^a-suite-has-a-project-[0-9a-f]{12}$/);
    expect((await ask(mockProject)).status).toBe(200);
  });
});

test("another project", async (mockProject) => {
  expect(await mockProject.journal.count()).toBe(0);
});

test.skip("is skipped", () => {
  throw new Error("it runs");
});

test.failing("fails as it should", () => {
  expect(1).toBe(2);
});

away("a scenario beside the test", async (mockProject) => {
  expect((await ask(mockProject)).status).toBe(503);
});

idle("rules that need not fire", async (mockProject) => {
  expect(mockProject.loaded.length).toBe(1);
});
