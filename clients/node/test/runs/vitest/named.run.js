import { test as base } from "vitest";

import { mockTest } from "wallet-api-double/vitest";

mockTest(base)("says its name", async ({ mockProject }) => {
  process.stdout.write(`name: ${mockProject.name}\n`);
});
