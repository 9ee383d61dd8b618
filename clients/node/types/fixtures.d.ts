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
export function provideServer({}: object, use: Use<MockServer>): Promise<void>;
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
export function provideProject(server: MockServer, test: {
    file: string | undefined;
    name: string;
}, use: Use<MockProject>, options: TestOptions, errorsOf: () => readonly {
    message?: unknown;
    stack?: unknown;
    value?: unknown;
}[] | undefined): Promise<void>;
/**
 * @param {MockFixtures} context
 * @param {Use<Record<string, string>>} use
 */
export function provideEnvironment({ mockProject }: MockFixtures, use: Use<Record<string, string>>): Promise<void>;
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
import type { MockServer } from "./client.js";
import type { MockProject } from "./project.js";
import type { TestOptions } from "./test-project.js";
