import { existsSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";

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
export async function readScenario(source, places) {
  if (source instanceof URL) return readBytes(fileURLToPath(source));
  if (typeof source !== "string") return { text: JSON.stringify(source) };
  if (source.includes("\n") || source.includes(": ")) return { text: source };
  return readBytes(findFile(source, places, "scenario"));
}

/**
 * What Foundry, Hardhat or solc wrote: what is at a path or URL, or what is given itself.
 *
 * @param {string | URL | { [member: string]: unknown }} source
 * @param {readonly string[]} places
 * @returns {Promise<{ artifact: { [member: string]: unknown }, name?: string }>}
 */
export async function readArtifact(source, places) {
  if (typeof source !== "string" && !(source instanceof URL)) return { artifact: source };
  const path = source instanceof URL ? fileURLToPath(source) : findFile(source, places, "artifact");
  const artifact = JSON.parse(await readFile(path, "utf8"));
  const found = await findSource(artifact, path);
  return { artifact: found ? { source: found, ...artifact } : artifact, name: basename(path, ".json") };
}

/**
 * The text of the source file of an artifact of Foundry, at its path from a folder that the artifact is in.
 *
 * @param {{ metadata?: { settings?: { compilationTarget?: object } } }} artifact
 * @param {string} path
 */
async function findSource(artifact, path) {
  const [target] = Object.keys(artifact.metadata?.settings?.compilationTarget ?? {});
  for (let folder = dirname(path); target?.endsWith(".sol"); folder = dirname(folder)) {
    if (existsSync(resolve(folder, target))) return readFile(resolve(folder, target), "utf8");
    if (folder === dirname(folder)) return undefined;
  }
}

/** @param {string} source @param {readonly string[]} places @param {string} what */
function findFile(source, places, what) {
  const looked = [...places, process.cwd()];
  const found = looked
    .map((place) => resolve(place, source))
    .find((path) => statSync(path, { throwIfNoEntry: false })?.isFile());
  if (found) return found;
  throw new Error(`there is no ${what} file ${source} in ${[...new Set(looked)].join(" or ")}`);
}

/**
 * What is not UTF-8, the server says with its place.
 *
 * @param {string} path
 */
async function readBytes(path) {
  return { text: await readFile(path), name: basename(path) };
}
