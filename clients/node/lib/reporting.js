// The report of a failure, as a part of the error itself: it is there whatever shows the error.

import { ControlApiError } from "./connection.js";
import { reportText } from "./report.js";
import { countUndeclared, describeUndeclared } from "./undeclared.js";
import { explainUnusedRules } from "./unused-rules.js";
import { VerificationError } from "./verification.js";

/** @import { MockServer } from "./client.js" */
/** @import { MockProject } from "./project.js" */
/** @import { CallCounts } from "./undeclared.js" */

/**
 * What fails a test beside its own assertions.
 *
 * @typedef {object} Checks
 * @property {"fail" | "allow"} [unusedRules] whether the test fails if rules of its scenarios never fired; `fail`
 * @property {boolean} [strictKeys] whether the test fails if calls went to keys that nothing declares
 */

const RULES_HELP =
  'A rule that need not fire is `optional: true`; the option unusedRules: "allow" is for all.';

/** What was there before a test, and what there is to say about it at its end. */
export class Watch {
  #server;
  #project;
  #since;
  #undeclared;

  /**
   * @param {MockServer} server
   * @param {MockProject} project
   * @param {number} since
   * @param {CallCounts} undeclared
   */
  constructor(server, project, since, undeclared) {
    this.#server = server;
    this.#project = project;
    this.#since = since;
    this.#undeclared = undeclared;
  }

  /**
   * Note what is there before a test.
   *
   * @param {MockServer} server
   * @param {MockProject} project
   */
  static async begin(server, project) {
    return new Watch(server, project, await project.journal.lastNumber(), await countUndeclared(server));
  }

  /** What the project recorded meanwhile. */
  async report() {
    return reportText(this.#project, { since: this.#since, undeclared: await this.#findUndeclared() });
  }

  /**
   * VerificationError for a test that passed, if its rules never fired or its calls went to undeclared keys.
   *
   * @param {Checks} checks
   */
  async check({ unusedRules = "fail", strictKeys = false }) {
    const unused = unusedRules === "fail" ? await this.#findUnused() : [];
    if (unused.length) throw failure([...unused, RULES_HELP]);
    const undeclared = strictKeys ? await this.#findUndeclared() : [];
    if (undeclared.length) throw failure(undeclared);
  }

  async #findUnused() {
    try {
      return await explainUnusedRules(this.#project);
    } catch (error) {
      // The test deleted its project.
      if (error instanceof ControlApiError) return [];
      throw error;
    }
  }

  #findUndeclared() {
    return describeUndeclared(this.#server, this.#undeclared, this.#project.secretKey);
  }
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
  try {
    const watch = await Watch.begin(server, project);
    const result = await runReporting(() => run(project), watch);
    await watch.check(checks);
    return result;
  } finally {
    await project.delete();
  }
}

/**
 * @template T
 * @param {() => T | Promise<T>} run
 * @param {Watch} watch
 */
async function runReporting(run, watch) {
  try {
    return await run();
  } catch (error) {
    if (error instanceof Object && "message" in error) append(error, await watch.report());
    throw error;
  }
}

/**
 * Add a report to an error: to its message, and to its stack, which begins with the message.
 *
 * @param {{ message?: unknown, stack?: unknown }} error
 * @param {string} report
 */
export function append(error, report) {
  if (!report) return;
  const before = String(error.message);
  const after = `${before}\n\n${report}\n`;
  const stack = typeof error.stack === "string" ? error.stack.replace(before, () => after) : undefined;
  error.message = after;
  if (stack !== undefined) error.stack = stack;
}

/**
 * An error without frames, which would be those of this package.
 *
 * @param {readonly string[]} lines
 */
function failure(lines) {
  const error = new VerificationError(lines.join("\n"));
  error.stack = `${error.name}: ${error.message}`;
  return error;
}
