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
export function mockTest<T extends object>(test: TestAPI<T>, options?: TestOptions): TestAPI<T & MockFixtures>;
/**
 * `mockProject` is a project of the test's own, `mockEnv` sets the variables that the official clients read until the
 * test ends, `mockServer` is the server.
 */
export type MockFixtures = {
    mockServer: MockServer;
    mockProject: MockProject;
    mockEnv: Record<string, string>;
};
export type Use<T> = (value: T) => Promise<void>;
export type Context = MockFixtures & {
    task: RunnerTestCase;
};
import type { TestAPI } from "vitest";
import type { TestOptions } from "./test-project.js";
import type { MockServer } from "./client.js";
import type { MockProject } from "./project.js";
import type { RunnerTestCase } from "vitest";
