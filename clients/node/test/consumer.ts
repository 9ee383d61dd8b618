// What a test in TypeScript says is checked by the types of the package. It is not run.

import { expect, test as base } from "vitest";
import { test as jestBase } from "@jest/globals";
import { test as playwrightBase } from "@playwright/test";

import {
  MockServer,
  reported,
  startServer,
  type Exchange,
  type Fault,
  type Message,
} from "wallet-api-double";
import globalSetup from "wallet-api-double/global-setup";
import { mockTest as mockJestTest } from "wallet-api-double/jest";
import { mockTest as mockPlaywrightTest } from "wallet-api-double/playwright";
import { LiveServerContainer } from "wallet-api-double/testcontainers";
import { mockTest } from "wallet-api-double/vitest";

const lost: Fault = { connection_reset_by_peer: { effect: "done", times: 1 } };
const test = mockTest(base, { scenario: { rules: [{ when: "CreateTransaction", then: { fault: lost } }] } });

test("fixtures have types", async ({ mockProject, mockEnv, mockServer }) => {
  const message: Message = await mockProject.outbox.latest({ to: "ada@example.com" });
  const [exchange]: Exchange[] = await mockProject.journal.list({ status: 404 });
  const found: number = await mockProject.verify("CreateTransaction", { exactly: 2 });
  await mockProject.fate({ outcome: "reverted", reason: "paused" });
  await mockProject.fate({ outcome: "failed", code: "AA23", count: null });
  expect([message.code, exchange?.status, found, mockEnv.OPENFORT_BASE_URL, mockServer.url]).toBeDefined();
  // @ts-expect-error an outcome that there is not
  await mockProject.fate({ outcome: "revert" });
  // @ts-expect-error a filter that there is not
  await mockProject.outbox.latest({ recipient: "ada@example.com" });
  // @ts-expect-error a setting of another type
  await mockProject.change({ one_time_code: 5 });
  const { one_time_code }: { one_time_code: string | null } = await mockProject.change({});
  await mockProject.webhooks.fate({ outcome: "lost" });
  await mockProject.fund(84532, mockServer.url, { balance_wei: "1" });
  // @ts-expect-error a member that there is not
  await mockProject.fund(84532, mockServer.url, { balanceWei: "1" });
  // @ts-expect-error a fault that there is not
  const wrong: Fault = "reset_peer";
  expect(wrong).toBeDefined();
  // @ts-expect-error an operation that there is not
  await mockProject.verify("CreateTransactoin");
  await mockProject.verify("POST /v2/transactions", { never: true });
  await mockProject.verifySequence(["signUpEmail", { call: ["CreateTransaction", "*"] }]);
  // @ts-expect-error how far the clock moves is seconds
  await mockProject.clock.advance("1h");
});

test.extend<{ shop: string }>({ shop: async ({ mockProject }, use) => use(mockProject.url) })(
  "more fixtures",
  ({ shop }) => {
    expect(shop.length).toBeGreaterThan(0);
  },
);

mockJestTest(jestBase, { clock: new Date(0) })("a project", async (mockProject) => {
  await mockProject.clock.advance({ to: "2026-03-01T00:00:00Z" });
});

mockPlaywrightTest(playwrightBase, { strictKeys: true })("a page", async ({ page, mockProject, mockEnv }) => {
  await page.goto(mockEnv.OPENFORT_BASE_URL ?? mockProject.url);
  await mockProject.verify("GetContracts", { exactly: 1 });
  // @ts-expect-error a fixture that there is not
  await page.goto(mockProject.origin);
});

export async function own(): Promise<string> {
  await using server = await startServer({ seed: "mine" });
  await using project = await server.createProject();
  await server.startRecording({ projects: [project] });
  const control: MockServer = server;
  await new LiveServerContainer("mockserver").withScenarios("/scenarios").start();
  await (
    await globalSetup()
  )();
  return reported(control, await control.createProject(), (project) => project.clock.now());
}
