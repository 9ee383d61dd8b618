/** What a call changed: rows, timers that it set or cancelled, timers that fired. */

import { get } from "./api.js";
import { badge, h } from "./dom.js";
import { bodyOf, linked, momentOf } from "./show.js";

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
      ? difference(change.before, change.after)
      : bodyOf(change.after ?? change.before),
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
    h("h3", {}, `${title}: ${total} ${total === 1 ? "row differs" : "rows differ"}`),
    ...data.map(rowChange),
    rest > 0 && h("p", { class: "dim" }, `and ${rest} more`),
  ];
}

/** The members that differ. @param {Record<string, unknown>} before @param {Record<string, unknown>} after */
export function difference(before, after) {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const cell = (/** @type {unknown} */ value) =>
    h("td", { class: "mono" }, ...linked(JSON.stringify(value, null, 1) ?? "—"));
  return h(
    "table",
    {},
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("th", { scope: "col" }, "Member"),
        h("th", { scope: "col" }, "Before"),
        h("th", { scope: "col" }, "After"),
      ),
    ),
    h(
      "tbody",
      {},
      names.map((name) =>
        h("tr", {}, h("th", { scope: "row" }, name), cell(before[name]), cell(after[name])),
      ),
    ),
  );
}

/** @param {string} label @param {any[]} found */
function timers(label, found) {
  return found.map((timer) =>
    h("p", {}, badge(label), " ", timer.event, " of ", ...linked(timer.id), " at ", momentOf(timer.due)),
  );
}

/** Timers that fired, in order. @param {any[]} fired */
export function firedTable(fired) {
  const cells = (/** @type {any} */ entry) => [
    h("td", {}, momentOf(entry.at)),
    h("td", {}, entry.event),
    h("td", { class: "mono" }, ...linked(entry.id)),
    h("td", {}, `${entry.from} → ${entry.to}`),
  ];
  return h(
    "table",
    { class: "fired" },
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        ["Time", "Event", "Of", "State"].map((name) => h("th", { scope: "col" }, name)),
      ),
    ),
    h(
      "tbody",
      {},
      fired.map((entry) => h("tr", {}, cells(entry))),
    ),
  );
}
