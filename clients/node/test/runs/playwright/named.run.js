import { test as base } from "@playwright/test";

import { mockTest } from "wallet-api-double/playwright";

mockTest(base)("says its name", async ({ mockProject }) => {
  process.stdout.write(`name: ${mockProject.name}\n`);
});
