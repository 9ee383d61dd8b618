// The report of a failure, as a part of the error itself: it is there whatever shows the error.

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

/** What was there before a test, and what there is to say about it at its end. */
export class Watch {
  #server;
  #project;
  #since;
  #before;

  /**
   * @param {MockServer} server
   * @param {MockProject} project
   * @param {number} since
   * @param {Record<string, number>} before how many calls went to each undeclared key
   */
  constructor(server, project, since, before) {
    this.#server = server;
    this.#project = project;
    this.#since = since;
    this.#before = before;
  }

  /**
   * Note what is there before a test.
   *
   * @param {MockServer} server
   * @param {MockProject} project
   */
  static async begin(server, project) {
    const counts = (await server.undeclaredProjects()).map(({ secret_key, calls }) => [secret_key, calls]);
    return new Watch(server, project, await project.journal.lastNumber(), Object.fromEntries(counts));
  }

  /** What the project recorded meanwhile. */
  async report() {
    const undeclared = await this.#findUndeclared();
    const sections = await readReport(this.#project, { since: this.#since });
    const others = sections.filter(({ id }) => id !== undeclared.id);
    return textOf(undeclared.lines.length ? [...others, undeclared] : others);
  }

  /**
   * VerificationError for a test that passed, if its rules never fired or its calls went to undeclared keys.
   *
   * @param {Checks} checks
   */
  async check({ unusedRules = "fail", strictKeys = false }) {
    const { loaded } = this.#project;
    if (unusedRules === "fail" && loaded.length) {
      const [unused] = await readReport(this.#project, { sections: ["rules"], scenarios: loaded });
      if (unused) throw failure([...unused.lines, RULES_HELP]);
    }
    const { lines } = strictKeys ? await this.#findUndeclared() : { lines: [] };
    if (lines.length) throw failure(lines);
  }

  /** @returns {Promise<ReportSection>} */
  #findUndeclared() {
    const json = { before: this.#before, keys: [this.#project.secretKey] };
    return this.#server.call("POST", "/_mock/undeclared-calls", { json });
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
