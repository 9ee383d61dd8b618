import { test as base } from "@playwright/test";

import { mockTest } from "wallet-api-double/playwright";

mockTest(base)("throws a text", async ({ mockProject }) => {
  throw `out of ${mockProject.id && "stock"}`;
});

mockTest(base, { scenario: "../outage.yaml" })("is skipped while it runs", async ({ mockProject }) => {
  base.skip(mockProject.loaded.length === 1);
});
