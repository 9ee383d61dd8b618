import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, resolve } from "node:path";
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
 * @returns {Promise<{ text: string, name?: string }>}
 */
export async function readScenario(source, places) {
  if (source instanceof URL) return readText(fileURLToPath(source));
  if (typeof source !== "string") return { text: JSON.stringify(source) };
  if (source.includes("\n") || source.includes(": ")) return { text: source };
  const looked = [...places, process.cwd()];
  const found = looked.map((place) => resolve(place, source)).find((path) => existsSync(path));
  if (found) return readText(found);
  throw new Error(`there is no scenario file ${source} in ${[...new Set(looked)].join(" or ")}`);
}

/** @param {string} path */
async function readText(path) {
  return { text: await readFile(path, "utf8"), name: basename(path) };
}
