export default {
  testMatch: ["**/*.run.js"],
  transform: {},
  cache: false,
  globalSetup: "wallet-api-double/global-setup",
};
