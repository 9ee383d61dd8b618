import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // One server for all files: a new one, or that of MOCKSERVER_URL.
    globalSetup: ["wallet-api-double/global-setup"],
  },
});
