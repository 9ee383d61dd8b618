import { ControlApiError } from "./connection.js";

/** @import { ProjectConnection } from "./connection.js" */
/** @import { Problem } from "./entries.js" */

const ASSERTIONS = ["urn:mockserver:verification-failed", "urn:mockserver:journal-incomplete"];

/** Calls are not as expected. No AssertionError of Node's, of which jest shows an expected and a received value. */
export class VerificationError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = "VerificationError";
  }
}

/**
 * Ask a server to verify; how many calls it found. VerificationError, with the closest calls, if they are not as expected.
 *
 * @param {ProjectConnection} client
 * @param {string} path
 * @param {object} json
 * @returns {Promise<number>}
 */
export async function verify(client, path, json) {
  try {
    return (await client.call("POST", path, { json })).found;
  } catch (error) {
    if (!(error instanceof ControlApiError) || !ASSERTIONS.includes(error.problem.type ?? "")) throw error;
    throw new VerificationError(explain(error.problem));
  }
}

/**
 * What was expected and found, and a line for each call to look at.
 *
 * @param {Partial<Problem>} problem
 */
function explain({ detail, errors }) {
  const calls = Object.entries(errors ?? {}).map(([name, { message }]) => `  ${name}: ${message}`);
  return [detail, ...calls].join("\n");
}
