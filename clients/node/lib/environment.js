import { TOKEN_VARIABLE } from "./connection.js";

/**
 * What the variables begin with that Next.js, Vite, Create React App, Expo, Nuxt, and Astro or SvelteKit pass on to a
 * browser, where only the publishable key may be.
 */
const FRONT_ENDS = ["NEXT_PUBLIC_", "VITE_", "REACT_APP_", "EXPO_PUBLIC_", "NUXT_PUBLIC_", "PUBLIC_"];

/** The chains whose nodes have variables: Ethereum, Base, Polygon, Arbitrum and Optimism. */
const CHAINS = { test: [11155111, 84532, 80002, 421614, 11155420], live: [1, 8453, 137, 42161, 10] };

/**
 * The URL of a chain's node, for a project by its publishable key or its id.
 *
 * @param {string} url
 * @param {string} project
 * @param {number} chainId
 * @returns {string}
 */
export function nodeUrl(url, project, chainId) {
  return `${url}/_mock/projects/${project}/chains/${chainId}/rpc`;
}

/** The variable with the URL of a server that runs. */
export const URL_VARIABLE = "MOCKSERVER_URL";

/**
 * The variables that the official clients, front ends and `MockServer` read, with values that work here.
 *
 * @param {{ url: string, secretKey: string, publishableKey: string, walletSecret: string, controlToken?: string }} project
 * @returns {Record<string, string>}
 */
export function clientEnvironment({ url, secretKey, publishableKey, walletSecret, controlToken }) {
  const forBrowsers = { OPENFORT_BASE_URL: url, OPENFORT_PUBLISHABLE_KEY: publishableKey };
  const prefixed = FRONT_ENDS.flatMap((prefix) =>
    Object.entries(forBrowsers).map(([name, value]) => [`${prefix}${name}`, value]),
  );
  const chains = CHAINS[publishableKey.startsWith("pk_live_") ? "live" : "test"];
  const nodes = chains.map((chainId) => [`RPC_URL_${chainId}`, nodeUrl(url, publishableKey, chainId)]);
  return {
    ...forBrowsers,
    OPENFORT_SECRET_KEY: secretKey,
    OPENFORT_API_KEY: secretKey,
    OPENFORT_WALLET_SECRET: walletSecret,
    // What the service signs webhooks with, unless the setting `webhook_secret` says otherwise.
    OPENFORT_WEBHOOK_SECRET: secretKey.replace("sk_", "").replace("test_", "").replaceAll("-", ""),
    [URL_VARIABLE]: url,
    SHIELD_URL: `${url}/_mock/projects/${publishableKey}/shield`,
    ...Object.fromEntries([...prefixed, ...nodes]),
    ...(controlToken && { [TOKEN_VARIABLE]: controlToken }),
  };
}
