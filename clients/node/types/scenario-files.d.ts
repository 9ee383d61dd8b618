/** @import { Scenario } from "./entries.js" */
/**
 * A scenario: its path or URL, its text, or an object with the members of a scenario file.
 *
 * @typedef {string | URL | Scenario} ScenarioSource
 */
/**
 * The text of a scenario, and the name of its file, if it is one.
 *
 * A text of YAML has a line break or `: ` in it. A path is relative to one of the places, or else to the working
 * directory.
 *
 * @param {ScenarioSource} source
 * @param {readonly string[]} places
 * @returns {Promise<{ text: string | Uint8Array, name?: string }>}
 */
export function readScenario(source: ScenarioSource, places: readonly string[]): Promise<{
    text: string | Uint8Array;
    name?: string;
}>;
/**
 * What Foundry, Hardhat or solc wrote: what is at a path or URL, or what is given itself.
 *
 * @param {string | URL | { [member: string]: unknown }} source
 * @param {readonly string[]} places
 * @returns {Promise<{ artifact: { [member: string]: unknown }, name?: string }>}
 */
export function readArtifact(source: string | URL | {
    [member: string]: unknown;
}, places: readonly string[]): Promise<{
    artifact: {
        [member: string]: unknown;
    };
    name?: string;
}>;
/**
 * A scenario: its path or URL, its text, or an object with the members of a scenario file.
 */
export type ScenarioSource = string | URL | Scenario;
import type { Scenario } from "./entries.js";
