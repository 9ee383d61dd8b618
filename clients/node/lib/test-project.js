// The project of a test, whatever runs the test.

import { createHash } from "node:crypto";
import { dirname, relative } from "node:path";

import { ControlApiError } from "./connection.js";
import { beginRecording } from "./recorded-tests.js";

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
export async function openProject(
  server,
  { file, name },
  { seed, clock = "frozen", settings, livemode, scenario, ...recording },
) {
  const testName = nameOfTest(file, name);
  // As on a server of its own, whatever the seed of the server that runs.
  const usualSeed = `mockserver/${livemode ? "live" : "test"}/${testName}`;
  const begin = { name: testName, seed: seed ?? usualSeed, clock, settings, livemode };
  const project = await replaceLeftOver(server, begin);
  if (file) project.places = [dirname(file)];
  project.inlineName = `${name} inline scenario`;
  try {
    await beginRecording(server, project, recording);
    if (scenario !== undefined) await project.load(scenario);
  } catch (error) {
    await project.delete();
    throw error;
  }
  return project;
}

/**
 * A run that was killed may have left a project of this name on a server that runs on.
 *
 * @param {MockServer} server
 * @param {ProjectOptions} begin
 */
async function replaceLeftOver(server, begin) {
  try {
    return await server.createProject(begin);
  } catch (error) {
    if (!(error instanceof ControlApiError && error.status === 409)) throw error;
  }
  const left = (await server.projects()).find(({ name }) => name === begin.name);
  await left?.delete();
  return server.createProject(begin);
}

/**
 * The same in every run, bounded, and of the letters that keys may have.
 *
 * @param {string | undefined} file
 * @param {string} name
 */
function nameOfTest(file, name) {
  const place = file ? relative(process.cwd(), file) : "";
  const digest = createHash("sha256").update(`${place}::${name}`).digest("hex").slice(0, 12);
  return `${
    name
      .replace(/[^A-Za-z0-9]+/g, "-")
      .slice(0, 80)
      .replace(/^-|-$/g, "") || "test"
  }-${digest}`;
}
