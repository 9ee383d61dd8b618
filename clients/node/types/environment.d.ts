/**
 * The URL of a chain's node, for a project by its publishable key or its id.
 *
 * @param {string} url
 * @param {string} project
 * @param {number} chainId
 * @returns {string}
 */
export function nodeUrl(url: string, project: string, chainId: number): string;
/**
 * The variables that the official clients, front ends and `MockServer` read, with values that work here.
 *
 * @param {{ url: string, secretKey: string, publishableKey: string, walletSecret: string, controlToken?: string }} project
 * @returns {Record<string, string>}
 */
export function clientEnvironment({ url, secretKey, publishableKey, walletSecret, controlToken }: {
    url: string;
    secretKey: string;
    publishableKey: string;
    walletSecret: string;
    controlToken?: string;
}): Record<string, string>;
/** The variable with the URL of a server that runs. */
export const URL_VARIABLE: "MOCKSERVER_URL";
