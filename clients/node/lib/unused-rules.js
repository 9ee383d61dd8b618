// Rules of scenarios that never fired, and the calls that came closest to them.

/** @import { MockProject } from "./project.js" */
/** @import { WholeExchange } from "./entries.js" */

/** The latest calls that are held against the rules. */
const LOOKED_AT = 50;
const SHOWN_CALLS = 2;

/** @typedef {{ call: WholeExchange, missed: string[] }} Miss */

/**
 * A line for each rule that never fired and is not optional, and lines for the calls closest to it.
 *
 * Only of some scenarios, if their ids are given.
 *
 * @param {MockProject} project
 * @param {readonly string[]} [ids]
 */
export async function describeUnusedRules(project, ids) {
  const unused = (await project.scenarios())
    .filter(({ id }) => !ids || ids.includes(id))
    .flatMap(({ name, rules }) => rules.map((rule) => ({ scenario: name, rule })))
    .filter(({ rule }) => !rule.fired && !rule.optional);
  const closest = unused.length ? await findClosest(project) : new Map();
  return unused.flatMap(({ scenario, rule: { name, met } }) => {
    /** @type {Miss[]} */
    const found = closest.get(keyOf(scenario, name)) ?? [];
    found.sort((one, other) => one.missed.length - other.missed.length);
    const calls = `${met} ${met === 1 ? "call" : "calls"}`;
    return [
      `${name} (scenario ${scenario}) never fired: ${calls} matched it`,
      ...found.slice(0, SHOWN_CALLS).map(explain),
    ];
  });
}

/**
 * Why a test fails in which rules never fired of the scenarios that `load` loaded; empty if none did.
 *
 * @param {MockProject} project
 */
export async function explainUnusedRules(project) {
  const unused = project.loaded.length ? await describeUnusedRules(project, project.loaded) : [];
  return unused.length ? ["rules of the test's scenarios never fired:", ...unused] : [];
}

/**
 * The calls that nearly matched each rule, the latest first.
 *
 * @param {MockProject} project
 */
async function findClosest(project) {
  /** @type {Map<string, Miss[]>} */
  const found = new Map();
  for (const call of await project.journal.list({ order: "desc", limit: LOOKED_AT })) {
    for (const { scenario, rule, missed } of await project.nearMisses(call.n)) {
      const key = keyOf(scenario, rule);
      found.set(key, [...(found.get(key) ?? []), { call, missed }]);
    }
  }
  return found;
}

/**
 * @param {string} scenario
 * @param {string} rule
 */
function keyOf(scenario, rule) {
  return JSON.stringify([scenario, rule]);
}

/** @param {Miss} miss */
function explain({ call, missed }) {
  return `  #${call.n} ${call.operation ?? call.path}: ${missed[0]}`;
}
