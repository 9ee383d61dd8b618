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
export function mockTest<T extends object, W extends object>(test: TestType<T, W>, options?: TestOptions): TestType<T & Omit<MockFixtures, "mockServer">, W & Pick<MockFixtures, "mockServer">>;
import type { TestType } from "@playwright/test";
import type { TestOptions } from "./test-project.js";
import type { MockFixtures } from "./fixtures.js";
