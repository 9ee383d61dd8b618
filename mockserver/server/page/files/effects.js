/** What a call changed: rows, timers that it set or cancelled, timers that fired. */

import { get } from "./api.js";
import { badge, h, table } from "./dom.js";
import { countOf, linked, momentOf, moodOf, timeOf } from "./show.js";
import { factOf, membersOf } from "./values.js";

const MOST_COMPARED = 200;
const KINDS = /** @type {Record<string, string>} */ ({ created: "good", changed: "warn", removed: "bad" });

/** @param {any} effects */
export function effectsOf(effects) {
  if (!effects) return null;
  const { rows, timers_set: set, timers_cancelled: cancelled, fired, omitted } = effects;
  const none = !rows.length && !set.length && !cancelled.length && !fired.length;
  return h(
    "section",
    {},
    h("h3", {}, "Effects"),
    none && h("p", { class: "dim" }, "It changed nothing."),
    rows.map(rowChange),
    fired.length > 0 && firedTable(fired),
    timers("Timer set", set),
    timers("Timer cancelled", cancelled),
    omitted > 0 && h("p", { class: "dim" }, `${omitted} more are left out.`),
  );
}

/** @param {any} change */
function rowChange(change) {
  return h(
    "details",
    { class: "change" },
    h(
      "summary",
      {},
      badge(change.change, KINDS[change.change]),
      " ",
      h("span", { class: "dim" }, change.table),
      " ",
      h("span", { class: "mono" }, change.id),
    ),
    change.before && change.after
      ? difference(change)
      : membersOf(change.table, change.after ?? change.before),
  );
}

/**
 * Load the rows that differ, and show them below what they are the differences of.
 *
 * @param {string} title
 * @param {string} path
 * @param {Record<string, string>} [query]
 */
export async function loadDifferences(title, path, query) {
  const { data, total } = await get(path, { ...query, limit: MOST_COMPARED });
  const rest = total - data.length;
  return [
    h("h3", {}, `${title}: ${countOf(total, "row")} ${total === 1 ? "differs" : "differ"}`),
    ...data.map(rowChange),
    rest > 0 && h("p", { class: "dim" }, `and ${rest} more`),
  ];
}

/** The members that differ. @param {any} change */
export function difference({ table: of, id, before, after }) {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const cell = (/** @type {any} */ row, /** @type {string} */ name) => {
    const value = row[name];
    if (value === undefined || value === null) return h("span", { class: "dim" }, "—");
    return typeof value === "object"
      ? h("span", { class: "mono" }, ...linked(JSON.stringify(value, null, 1)))
      : factOf(of, { id, ...before, ...after, ...row }, name);
  };
  const label = (/** @type {string} */ name) => h("span", { class: "dim" }, `${name} `);
  const lines = names.map((name) => h("li", {}, label(name), cell(before, name), " → ", cell(after, name)));
  return h("ul", { class: "tree" }, lines);
}

/** @param {string} label @param {any[]} found */
function timers(label, found) {
  return found.map((timer) =>
    h("p", {}, badge(label), " ", timer.event, " of ", ...linked(timer.id), " at ", momentOf(timer.due)),
  );
}

/** Timers that fired, in order. @param {any[]} fired */
export function firedTable(fired) {
  const rows = fired.map((entry) => [
    timeOf(entry.at),
    entry.event,
    h("span", { class: "mono" }, ...linked(entry.id)),
    h("span", {}, badge(entry.from), " → ", badge(entry.to, moodOf(entry.to))),
  ]);
  return table(["Time", "Event", "Of", "State"], rows, { class: "fired" });
}
