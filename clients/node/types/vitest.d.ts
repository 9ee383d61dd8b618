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
export function mockTest<T extends object>(test: TestAPI<T>, options?: TestOptions): TestAPI<T & MockFixtures>;
export type Context = MockFixtures & {
    task: RunnerTestCase;
};
import type { TestAPI } from "vitest";
import type { TestOptions } from "./test-project.js";
import type { MockFixtures } from "./fixtures.js";
import type { RunnerTestCase } from "vitest";
