import { TOKEN_VARIABLE } from "./connection.js";

/**
 * What the variables begin with that Next.js, Vite, Create React App, Expo, Nuxt, and Astro or SvelteKit pass on to a
 * browser, where only the publishable key may be.
 */
const FRONT_ENDS = ["NEXT_PUBLIC_", "VITE_", "REACT_APP_", "EXPO_PUBLIC_", "NUXT_PUBLIC_", "PUBLIC_"];

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
  return {
    ...forBrowsers,
    OPENFORT_SECRET_KEY: secretKey,
    OPENFORT_API_KEY: secretKey,
    OPENFORT_WALLET_SECRET: walletSecret,
    // What the service signs webhooks with, unless the setting `webhook_secret` says otherwise.
    OPENFORT_WEBHOOK_SECRET: secretKey.replace("sk_", "").replace("test_", "").replaceAll("-", ""),
    [URL_VARIABLE]: url,
    ...Object.fromEntries(prefixed),
    ...(controlToken && { [TOKEN_VARIABLE]: controlToken }),
  };
}
