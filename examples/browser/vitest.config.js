import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    testTimeout: 20_000,
    hookTimeout: 30_000,
    // One server for all files: a new one, or that of MOCKSERVER_URL.
    globalSetup: ["wallet-api-double/global-setup"],
  },
});
