import { test as base } from "@jest/globals";

import { mockTest } from "wallet-api-double/jest";

mockTest(base)("says its name", async (mockProject) => {
  process.stdout.write(`name: ${mockProject.name}\n`);
});
