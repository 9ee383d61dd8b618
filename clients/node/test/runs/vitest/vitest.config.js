export default {
  test: { include: ["*.run.js"], globalSetup: ["wallet-api-double/global-setup"] },
};
