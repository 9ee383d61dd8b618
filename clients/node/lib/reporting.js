// The report of a failure, as a part of the error itself: it is there whatever shows the error.

import { endRecording, recordingSection } from "./recorded-tests.js";
import { readReport, textOf } from "./report.js";
import { VerificationError } from "./verification.js";

/** @import { MockServer } from "./client.js" */
/** @import { MockProject } from "./project.js" */
/** @import { ReportSection } from "./entries.js" */

/**
 * What fails a test beside its own assertions.
 *
 * @typedef {object} Checks
 * @property {"fail" | "allow"} [unusedRules] whether the test fails if rules of its scenarios never fired; `fail`
 * @property {boolean} [strictKeys] whether the test fails if calls went to keys that nothing declares
 */

const RULES_HELP =
  'A rule that need not fire is `optional: true`; the option unusedRules: "allow" is for all.';

/**
 * Note what is there before a test. Later `report` is what the project recorded meanwhile, and `check` throws a
 * VerificationError for a test that passed, if its rules never fired or its calls went to undeclared keys.
 *
 * @param {MockServer} server
 * @param {MockProject} project
 */
export async function watch(server, project) {
  const since = await project.journal.lastNumber();
  const counts = (await server.undeclaredProjects()).map(({ secret_key, calls }) => [secret_key, calls]);
  const json = { before: Object.fromEntries(counts), keys: [project.secretKey] };
  /** @returns {Promise<ReportSection>} */
  const findUndeclared = () => server.call("POST", "/_mock/undeclared-calls", { json });
  return {
    async report() {
      const undeclared = await findUndeclared();
      const sections = (await readReport(project, { since })).filter(({ id }) => id !== undeclared.id);
      const told = undeclared.lines.length ? [...sections, undeclared] : sections;
      return textOf([...told, ...recordingSection(project)]);
    },

    /** @param {Checks} checks */
    async check({ unusedRules = "fail", strictKeys = false }) {
      const { loaded } = project;
      if (unusedRules === "fail" && loaded.length) {
        const [unused] = await readReport(project, { sections: ["rules"], scenarios: loaded });
        if (unused) throw failure(project, [...unused.lines, RULES_HELP]);
      }
      const { lines } = strictKeys ? await findUndeclared() : { lines: [] };
      if (lines.length) throw failure(project, lines);
    },
  };
}

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
export async function reported(server, project, run, checks = {}) {
  let hasFailed = true;
  try {
    const { report, check } = await watch(server, project);
    const result = await runReporting(() => run(project), report);
    await check(checks);
    hasFailed = false;
    return result;
  } finally {
    await endRecording(project, hasFailed);
    await project.delete();
  }
}

/**
 * @template T
 * @param {() => T | Promise<T>} run
 * @param {() => Promise<string>} report
 */
async function runReporting(run, report) {
  try {
    return await run();
  } catch (error) {
    if (error instanceof Object && "message" in error) append(error, await report());
    throw error;
  }
}

/**
 * Add a report to an error: to its message, and to its stack, which begins with the message. What is thrown and is no
 * error is a value without a message.
 *
 * @param {{ message?: unknown, stack?: unknown, value?: unknown }} error
 * @param {string} report
 */
export function append(error, report) {
  if (!report) return;
  const before = String(error.message ?? error.value);
  const after = `${before}\n\n${report}\n`;
  const stack = typeof error.stack === "string" ? error.stack.replace(before, () => after) : undefined;
  error.message = after;
  if (stack !== undefined) error.stack = stack;
}

/**
 * An error without frames, which would be those of this package.
 *
 * @param {MockProject} project
 * @param {readonly string[]} lines
 */
function failure(project, lines) {
  const error = new VerificationError(lines.join("\n"));
  append(error, textOf(recordingSection(project)));
  error.stack = `${error.name}: ${error.message}`;
  return error;
}
