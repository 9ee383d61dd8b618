/**
 * Ask a server to verify; how many calls it found. VerificationError, with the closest calls, if they are not as expected.
 *
 * @param {ProjectConnection} client
 * @param {string} path
 * @param {object} json
 * @returns {Promise<number>}
 */
export function verify(client: ProjectConnection, path: string, json: object): Promise<number>;
/** Calls are not as expected. No AssertionError of Node's, of which jest shows an expected and a received value. */
export class VerificationError extends Error {
    /** @param {string} message */
    constructor(message: string);
}
import type { ProjectConnection } from "./connection.js";
