import { test as base } from "@playwright/test";

import { mockTest } from "wallet-api-double/playwright";

const test = mockTest(base);

for (const title of ["says its name", "says its name 1"]) {
  test(title, async ({ mockProject }) => {
    process.stdout.write(`name: ${mockProject.name}\n`);
  });
}
