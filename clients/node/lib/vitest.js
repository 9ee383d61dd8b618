// vitest: a project for each test, and the report of a failure.

import { endRecording } from "./recorded-tests.js";
import { append, watch } from "./reporting.js";
import { openServer } from "./starting.js";
import { openProject } from "./test-project.js";

/** @import { RunnerTestCase, TestAPI } from "vitest" */
/** @import { MockServer } from "./client.js" */
/** @import { MockProject } from "./project.js" */
/** @import { TestOptions } from "./test-project.js" */

/**
 * `mockProject` is a project of the test's own, `mockEnv` sets the variables that the official clients read until the
 * test ends, `mockServer` is the server.
 *
 * @typedef {{ mockServer: MockServer, mockProject: MockProject, mockEnv: Record<string, string> }} MockFixtures
 */

/**
 * @template T
 * @typedef {(value: T) => Promise<void>} Use
 */

/**
 * The test function of vitest, with fixtures. Options say how the projects begin; a test function with others is made
 * by another call.
 *
 * @template {object} T
 * @param {TestAPI<T>} test
 * @param {TestOptions} [options]
 * @returns {TestAPI<T & MockFixtures>}
 */
export function mockTest(test, options = {}) {
  // vitest reads from the parameters which other fixtures each one needs.
  const fixtures = {
    mockServer: [provideServer, { scope: "file" }],
    /** @type {(context: Context, use: Use<MockProject>) => Promise<void>} */
    mockProject: async ({ mockServer, task }, use) => provideProject(mockServer, task, use, options),
    mockEnv: provideEnvironment,
  };
  return /** @type {any} */ (test).extend(fixtures);
}

/** @typedef {MockFixtures & { task: RunnerTestCase }} Context */

/**
 * @param {object} context
 * @param {Use<MockServer>} use
 */
async function provideServer({}, use) {
  const { server, close } = await openServer();
  await use(server);
  await close();
}

/**
 * @param {MockServer} server
 * @param {RunnerTestCase} task
 * @param {Use<MockProject>} use
 * @param {TestOptions} options
 */
async function provideProject(server, task, use, options) {
  const project = await openProject(server, { file: task.file.filepath, name: nameOf(task) }, options);
  let hasFailed = true;
  try {
    const { report, check } = await watch(server, project);
    await use(project);
    const errors = task.result?.errors ?? [];
    if (errors[0]) append(errors[0], await report());
    else await check(options);
    hasFailed = errors.length > 0;
  } finally {
    await endRecording(project, hasFailed);
    await project.delete();
  }
}

/**
 * @param {Context} context
 * @param {Use<Record<string, string>>} use
 */
async function provideEnvironment({ mockProject }, use) {
  const env = await mockProject.env();
  const before = Object.keys(env).map((name) => [name, process.env[name]]);
  Object.assign(process.env, env);
  await use(env);
  for (const [name = "", value] of before) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
}

/** @param {RunnerTestCase} task */
function nameOf(task) {
  const names = [task.name];
  for (let suite = task.suite; suite; suite = suite.suite) names.unshift(suite.name);
  return names.filter(Boolean).join(" ");
}
