// Playwright Test: a project for each test, and the report of a failure.

import { provideEnvironment, provideProject, provideServer } from "./fixtures.js";

/** @import { TestInfo, TestType } from "@playwright/test" */
/** @import { MockFixtures, Use } from "./fixtures.js" */
/** @import { MockProject } from "./project.js" */
/** @import { TestOptions } from "./test-project.js" */

/**
 * The test function of Playwright Test, with fixtures. Options say how the projects begin; a test function with others
 * is made by another call. Workers that no server is given for start one each.
 *
 * @template {object} T
 * @template {object} W
 * @param {TestType<T, W>} test
 * @param {TestOptions} [options]
 * @returns {TestType<T & Omit<MockFixtures, "mockServer">, W & Pick<MockFixtures, "mockServer">>}
 */
export function mockTest(test, options = {}) {
  const fixtures = {
    mockServer: [provideServer, { scope: "worker" }],
    /** @type {(context: MockFixtures, use: Use<MockProject>, info: TestInfo) => Promise<void>} */
    mockProject: async ({ mockServer }, use, info) => {
      const { file, titlePath, project, repeatEachIndex } = info;
      // The browsers of a configuration run the same test, and at the same time. Titles such as "user" and "user 1"
      // are those of two tests when they are repeated, too.
      const repeat = repeatEachIndex && `repeat:${repeatEachIndex}`;
      const name = [project.name, ...titlePath.slice(1), repeat].filter(Boolean).join(" › ");
      const errorsOf = () => (info.status === "skipped" ? undefined : info.errors);
      await provideProject(mockServer, { file, name }, use, options, errorsOf);
    },
    mockEnv: provideEnvironment,
  };
  return /** @type {any} */ (test).extend(fixtures);
}
