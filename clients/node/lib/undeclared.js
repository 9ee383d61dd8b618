// Calls that went to keys that nothing declared, which open projects of their own.

/** @import { MockServer } from "./client.js" */

const KEY_START = /^(?:sk|pk)_(?:test|live)_.{0,2}/;

/** @typedef {ReadonlyMap<string, number>} CallCounts how many calls went to each undeclared key */

/**
 * How many calls went to each undeclared key so far.
 *
 * @param {MockServer} server
 * @returns {Promise<CallCounts>}
 */
export async function countUndeclared(server) {
  return new Map((await server.undeclaredProjects()).map(({ secret_key, calls }) => [secret_key, calls]));
}

/**
 * A line for each undeclared key that calls went to since they were counted.
 *
 * @param {MockServer} server
 * @param {CallCounts} before
 * @param {string} declared the key of the test
 */
export async function describeUndeclared(server, before, declared) {
  return (await server.undeclaredProjects()).flatMap(({ secret_key: key, calls }) => {
    const more = calls - (before.get(key) ?? 0);
    const went = more === 1 ? "1 call" : `${more} calls`;
    return more > 0
      ? [`${went} went to ${shorten(key)}, which nothing declares; the test has ${shorten(declared)}`]
      : [];
  });
}

/**
 * The start of a key, to recognise it by.
 *
 * @param {string} key
 */
function shorten(key) {
  return `${KEY_START.exec(key)?.[0] ?? ""}…`;
}
