// A recording of each test's project: a file to replay, for the option `record`.

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** @import { MockServer } from "./client.js" */
/** @import { MockProject } from "./project.js" */

const DIRECTORY = join(".mockserver", "recordings");
const VARIABLE = "MOCKSERVER_RECORD_TESTS";
const KEPT = ["failed", "all"];

/**
 * Which recordings of tests are kept.
 *
 * @typedef {object} Recording
 * @property {"failed" | "all"} [record] those of tests that failed, or all; what MOCKSERVER_RECORD_TESTS says unless given
 * @property {string} [recordDir] where to; `.mockserver/recordings`
 */

/** @typedef {{ server: MockServer, file: string, keepsAll: boolean, problem?: string }} Recorded */

/** @type {WeakMap<MockProject, Recorded>} */
const recorded = new WeakMap();

/**
 * Record a project from now on, masked, if that is asked for.
 *
 * @param {MockServer} server
 * @param {MockProject} project
 * @param {Recording} options
 */
export async function beginRecording(server, project, { record, recordDir = DIRECTORY }) {
  const kept = record ?? process.env[VARIABLE];
  if (!kept) return;
  if (!KEPT.includes(kept)) throw new TypeError(`${VARIABLE} is to be failed or all, not ${kept}`);
  const worker = process.env["VITEST_POOL_ID"] ?? process.env["JEST_WORKER_ID"] ?? "main";
  /** @type {Recorded} */
  const made = { server, file: join(recordDir, `${project.name}.${worker}.jsonl`), keepsAll: kept === "all" };
  recorded.set(project, made);
  try {
    await server.startRecording({ mask: true, projects: [project] });
  } catch (error) {
    made.problem = String(error);
  }
}

/**
 * What the report of a failed test says of its recording.
 *
 * @param {MockProject} project
 */
export function recordingSection(project) {
  const found = recorded.get(project);
  if (!found) return [];
  const line = found.problem ? `none: ${found.problem}` : `mockserver replay ${found.file}`;
  return [{ title: "mockserver recording", lines: [line] }];
}

/**
 * End the recording of a project before it is deleted, and keep it if it is to be kept.
 *
 * @param {MockProject} project
 * @param {boolean} hasFailed
 */
export async function endRecording(project, hasFailed) {
  const found = recorded.get(project);
  if (!found || found.problem) return;
  const recording = await found.server.stopRecording(project);
  if (!hasFailed && !found.keepsAll) return;
  await mkdir(join(found.file, ".."), { recursive: true });
  // Secrets of a masked recording are masked; the rest is for its owner only, too.
  await writeFile(found.file, recording, { mode: 0o600 });
}
