/**
 * Note what is there before a test. Later `report` is what the project recorded meanwhile, and `check` throws a
 * VerificationError for a test that passed, if its rules never fired or its calls went to undeclared keys.
 *
 * @param {MockServer} server
 * @param {MockProject} project
 */
export function watch(server: MockServer, project: MockProject): Promise<{
    report(): Promise<string>;
    /** @param {Checks} checks */
    check({ unusedRules, strictKeys }: Checks): Promise<void>;
}>;
/**
 * Run a function with a project. An error that it throws has the report, one that passes is checked, and in the end the
 * project is deleted.
 *
 * @template T
 * @param {MockServer} server
 * @param {MockProject} project
 * @param {(project: MockProject) => T | Promise<T>} run
 * @param {Checks} [checks]
 */
export function reported<T>(server: MockServer, project: MockProject, run: (project: MockProject) => T | Promise<T>, checks?: Checks): Promise<T>;
/**
 * Add a report to an error: to its message, and to its stack, which begins with the message. What is thrown and is no
 * error is a value without a message.
 *
 * @param {{ message?: unknown, stack?: unknown, value?: unknown }} error
 * @param {string} report
 */
export function append(error: {
    message?: unknown;
    stack?: unknown;
    value?: unknown;
}, report: string): void;
/**
 * What fails a test beside its own assertions.
 */
export type Checks = {
    /**
     * whether the test fails if rules of its scenarios never fired; `fail`
     */
    unusedRules?: "fail" | "allow" | undefined;
    /**
     * whether the test fails if calls went to keys that nothing declares
     */
    strictKeys?: boolean | undefined;
};
import type { MockServer } from "./client.js";
import type { MockProject } from "./project.js";
