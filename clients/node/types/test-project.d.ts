/** @import { MockServer, ProjectOptions } from "./client.js" */
/** @import { Recording } from "./recorded-tests.js" */
/** @import { Checks } from "./reporting.js" */
/** @import { ScenarioSource } from "./scenario-files.js" */
/**
 * How the project of a test begins, and what fails the test.
 *
 * @typedef {Pick<ProjectOptions, "seed" | "clock" | "settings" | "livemode">
 *   & { scenario?: ScenarioSource } & Checks & Recording} TestOptions
 */
/**
 * A new project for a test, with its scenario. Its name, and so its keys and its seed, follow from the test.
 *
 * @param {MockServer} server
 * @param {{ file: string | undefined, name: string }} test
 * @param {TestOptions} options
 */
export function openProject(server: MockServer, { file, name }: {
    file: string | undefined;
    name: string;
}, { seed, clock, settings, livemode, scenario, ...recording }: TestOptions): Promise<import("./project.js").MockProject>;
/**
 * How the project of a test begins, and what fails the test.
 */
export type TestOptions = Pick<ProjectOptions, "seed" | "clock" | "settings" | "livemode"> & {
    scenario?: ScenarioSource;
} & Checks & Recording;
import type { MockServer } from "./client.js";
import type { ProjectOptions } from "./client.js";
import type { ScenarioSource } from "./scenario-files.js";
import type { Checks } from "./reporting.js";
import type { Recording } from "./recorded-tests.js";
