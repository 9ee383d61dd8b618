// jest: a project for each test, and the report of a failure.

import { reported } from "./reporting.js";
import { openServer } from "./starting.js";
import { openProject } from "./test-project.js";

/** @import { MockServer } from "./client.js" */
/** @import { MockProject } from "./project.js" */
/** @import { TestOptions } from "./test-project.js" */

/** @typedef {(mockProject: MockProject) => void | Promise<void>} MockTestFn */
/** @typedef {(name: string, run: MockTestFn, timeoutMs?: number) => void} MockTest */

/**
 * What is used of jest's `test`.
 *
 * @typedef {(name: string, run: () => Promise<void>, timeoutMs?: number) => void} Declare
 * @typedef {Declare & { only: Declare, skip: Declare, failing: Declare }} JestTest
 */

/** @typedef {{ server: MockServer, close: () => Promise<void> }} Opened */

/**
 * The test function of jest, whose tests get a project of their own: `test("…", async (mockProject) => {…})`.
 *
 * Options say how the projects begin; a test function with others is made by another call. It has `only`, `skip` and
 * `failing`, as jest's own.
 *
 * @param {JestTest} test
 * @param {TestOptions} [options]
 * @returns {MockTest & { only: MockTest, skip: MockTest, failing: MockTest }}
 */
export function mockTest(test, options = {}) {
  const server = serverOfFile();
  /** @param {Declare} declare */
  const wrap = (declare) => {
    /** @type {MockTest} */
    return (name, run, timeoutMs) =>
      declare(name, async () => runTest(await server(), name, run, options), timeoutMs);
  };
  const { only, skip, failing } = test;
  return Object.assign(wrap(test), { only: wrap(only), skip: wrap(skip), failing: wrap(failing) });
}

/**
 * @param {MockServer} server
 * @param {string} name
 * @param {MockTestFn} run
 * @param {TestOptions} options
 */
async function runTest(server, name, run, options) {
  const { currentTestName = name, testPath } = jestGlobals().expect?.getState() ?? {};
  const project = await openProject(server, { file: testPath, name: currentTestName }, options);
  await reported(server, project, run, options);
}

/** The server of the tests of a file, which ends with them; it is looked for when a test first needs it. */
function serverOfFile() {
  /** @type {Promise<Opened> | undefined} */
  let opened;
  jestGlobals().afterAll?.(async () => (await opened)?.close());
  return async () => (await (opened ??= openServer())).server;
}

/** @returns {{ expect?: { getState(): { currentTestName?: string, testPath?: string } }, afterAll?: (end: () => Promise<void>) => void }} */
function jestGlobals() {
  return /** @type {any} */ (globalThis);
}
