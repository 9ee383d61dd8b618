// What a project recorded while a test ran, for the report of its failure.

import { ControlApiError } from "./connection.js";
import { describe, describeError, isError } from "./exchanges.js";
import { describeUnusedRules } from "./unused-rules.js";

/** @import { MockProject } from "./project.js" */

const SHOWN_EXCHANGES = 20;
const SHOWN_ERRORS = 10;
const SHOWN_MISSES = 2;
const AIMS = /** @type {const} */ (["kind", "chain_id", "account_id", "transaction_id"]);

/**
 * What there is to say about the exchanges after number `since`, in sections; empty about a deleted project.
 *
 * @param {MockProject} project
 * @param {{ since?: number, undeclared?: readonly string[] }} [options]
 */
export async function reportText(project, { since = 0, undeclared = [] } = {}) {
  try {
    return sections({
      "mockserver journal": await exchanges(project, since),
      "mockserver error answers": await errors(project, since),
      "mockserver rules": await describeUnusedRules(project),
      "mockserver fates": await unusedFates(project),
      "mockserver undeclared keys": undeclared,
    });
  } catch (error) {
    if (error instanceof ControlApiError) return "";
    throw error;
  }
}

/** @param {Record<string, readonly string[]>} found */
function sections(found) {
  return Object.entries(found)
    .filter(([, lines]) => lines.length)
    .map(([title, lines]) => [`--- ${title} ---`, ...lines].join("\n"))
    .join("\n");
}

/**
 * The last exchanges after those of the set-up, a few lines each, with the secrets masked.
 *
 * @param {MockProject} project
 * @param {number} since
 */
async function exchanges(project, since) {
  const lines = since ? [`1 to ${since} came before the calls of the test itself`] : [];
  const hasRules = (await project.scenarios()).some(({ rules }) => rules.length);
  const latest = await project.journal.list({ order: "desc", limit: SHOWN_EXCHANGES, since });
  for (const entry of latest.reverse()) {
    lines.push(...describe(entry, project.secretKey));
    if (!hasRules || entry.rule) continue;
    for (const miss of (await project.nearMisses(entry.n)).slice(0, SHOWN_MISSES)) {
      lines.push(`      near miss: rule ${miss.rule} (scenario ${miss.scenario}): ${miss.missed[0]}`);
    }
  }
  return lines;
}

/**
 * The calls that got an error or no whole answer: the test may have swallowed them.
 *
 * @param {MockProject} project
 * @param {number} since
 */
async function errors(project, since) {
  const found = (await project.journal.list({ since })).filter(isError);
  const lines = found.slice(0, SHOWN_ERRORS).map(describeError);
  const more = found.length - lines.length;
  return more ? [...lines, `      and ${more} more`] : lines;
}

/**
 * The fates that no transaction has used.
 *
 * @param {MockProject} project
 */
async function unusedFates(project) {
  return (await project.fates()).map((fate) => {
    const aim = AIMS.filter((name) => fate[name] !== null).map((name) => `${name} ${fate[name]}`);
    return `${fate.outcome} waits for a transaction: ${aim.join(", ")}`;
  });
}
