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
export function mockTest(test: JestTest, options?: TestOptions): MockTest & {
    only: MockTest;
    skip: MockTest;
    failing: MockTest;
};
export type MockTestFn = (mockProject: MockProject) => void | Promise<void>;
export type MockTest = (name: string, run: MockTestFn, timeoutMs?: number) => void;
/**
 * What is used of jest's `test`.
 */
export type Declare = (name: string, run: () => Promise<void>, timeoutMs?: number) => void;
/**
 * What is used of jest's `test`.
 */
export type JestTest = Declare & {
    only: Declare;
    skip: Declare;
    failing: Declare;
};
export type Opened = {
    server: MockServer;
    close: () => Promise<void>;
};
import type { TestOptions } from "./test-project.js";
import type { MockProject } from "./project.js";
import type { MockServer } from "./client.js";
