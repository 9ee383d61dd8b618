import { tmpdir } from "node:os";
import { join } from "node:path";

export default {
  testMatch: "*.run.js",
  // A project that has the package writes "wallet-api-double/global-setup": Playwright does not find a package itself.
  globalSetup: "../../../lib/global-setup.js",
  outputDir: join(tmpdir(), "playwright-results"),
  reporter: "list",
  workers: 1,
};
