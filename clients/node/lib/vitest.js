// vitest: a project for each test, and the report of a failure.

import { provideEnvironment, provideProject, provideServer } from "./fixtures.js";

/** @import { RunnerTestCase, TestAPI } from "vitest" */
/** @import { MockFixtures, Use } from "./fixtures.js" */
/** @import { MockProject } from "./project.js" */
/** @import { TestOptions } from "./test-project.js" */

/** @typedef {MockFixtures & { task: RunnerTestCase }} Context */

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
    mockProject: async ({ mockServer, task }, use) => {
      const of = { file: task.file.filepath, name: nameOf(task) };
      await provideProject(mockServer, of, use, options, () => task.result?.errors ?? []);
    },
    mockEnv: provideEnvironment,
  };
  return /** @type {any} */ (test).extend(fixtures);
}

/** @param {RunnerTestCase} task */
function nameOf(task) {
  const names = [task.name];
  for (let suite = task.suite; suite; suite = suite.suite) names.unshift(suite.name);
  // The projects of a configuration run the same test, and at the same time.
  names.unshift(task.file.projectName ?? "");
  return names.filter(Boolean).join(" ");
}
