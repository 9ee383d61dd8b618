// The fixtures of runners that have some: they run before and after a test, and see how it ended.

import { endRecording } from "./recorded-tests.js";
import { append, watch } from "./reporting.js";
import { openServer } from "./starting.js";
import { openProject } from "./test-project.js";

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
 * The server of the environment, or one that is started and ends with the fixture.
 *
 * @param {object} context
 * @param {Use<MockServer>} use
 */
export async function provideServer({}, use) {
  const { server, close } = await openServer();
  await use(server);
  await close();
}

/**
 * A project, whose report becomes a part of the first error of the test. One that was skipped has no errors, and is not
 * checked.
 *
 * @param {MockServer} server
 * @param {{ file: string | undefined, name: string }} test
 * @param {Use<MockProject>} use
 * @param {TestOptions} options
 * @param {() => readonly { message?: unknown, stack?: unknown, value?: unknown }[] | undefined} errorsOf
 */
export async function provideProject(server, test, use, options, errorsOf) {
  const project = await openProject(server, test, options);
  let hasFailed = true;
  try {
    const { report, check } = await watch(server, project);
    await use(project);
    const errors = errorsOf();
    const error = errors?.[0];
    if (error) append(error, await report());
    else if (errors) await check(options);
    hasFailed = error !== undefined;
  } finally {
    await endRecording(project, hasFailed);
    await project.delete();
  }
}

/**
 * @param {MockFixtures} context
 * @param {Use<Record<string, string>>} use
 */
export async function provideEnvironment({ mockProject }, use) {
  const env = await mockProject.env();
  const before = Object.keys(env).map((name) => [name, process.env[name]]);
  Object.assign(process.env, env);
  await use(env);
  for (const [name = "", value] of before) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
}
