/** The members of rows: times, amounts, states, ids, each as it is read best. */

import { badge, facts, h } from "./dom.js";
import { bodyOf, countOf, linked, middle, momentOf, moodOf, timeOf } from "./show.js";
import { chainOf, coinsOf, durationOf, tokensOf } from "./units.js";

const STATES = new Set(["status", "state"]);
const BALANCES = new Set(["balance", "issued", "reserved"]);
const ID = /^(?:[a-z]{2,5}_[0-9a-f-]{8,}|(?:\d+:)?0x[0-9a-fA-F]{16,})$/;
const EPOCH_MS = 1e11;

/**
 * A member as a cell of a table; null for one that is not plain.
 *
 * @param {string} table
 * @param {any} row
 * @param {string} name
 * @returns {import("./dom.js").Child}
 */
export function cellOf(table, row, name) {
  const value = row[name];
  if (value === null || value === undefined) return "";
  if (isTime(name, value)) return timeOf(new Date(value).toISOString());
  if (typeof value === "string" && ID.test(value)) return middle(value);
  return special(table, row, name) ?? (typeof value === "object" ? JSON.stringify(value) : String(value));
}

/**
 * A plain member beside others of its row, with links.
 *
 * @param {string} table
 * @param {any} row
 * @param {string} name
 */
export function factOf(table, row, name) {
  const value = row[name];
  if (isTime(name, value)) return momentOf(new Date(value).toISOString());
  return special(table, row, name) ?? h("span", { class: "mono" }, ...linked(String(value)));
}

/** @param {string} table @param {any} row @param {string} name */
function special(table, row, name) {
  const value = row[name];
  if (name.endsWith("_ms") && typeof value === "number") return durationOf(value);
  if (STATES.has(name) && typeof value === "string") return badge(value, moodOf(value));
  if (name === "chain_id" && value) return chainOf(value);
  if (name.endsWith("_wei")) return coinsOf(value, row.chain_id);
  if (table === "chains.accounts" && BALANCES.has(name)) return coinsOf(value, row.id.split(":")[0]);
  if (table === "guardrails.collected_tokens" && name === "amount")
    return tokensOf(value, row.id.split(":")[2]);
  // Of a token without an id: an ERC-20.
  if (table === "chains.token_holdings" && BALANCES.has(name) && row.id.endsWith(":"))
    return tokensOf(value, row.id.split(":")[1]);
  return null;
}

/** @param {string} name @param {unknown} value @returns {value is number} */
function isTime(name, value) {
  return name.endsWith("_ms") && typeof value === "number" && value > EPOCH_MS;
}

/** All members of a row; what is not plain is folded. @param {string} table @param {any} row */
export function membersOf(table, row) {
  const shown = (/** @type {string} */ name) => {
    const value = row[name];
    if (value === null) return h("span", { class: "dim" }, "null");
    return typeof value === "object" ? folded(value) : factOf(table, row, name);
  };
  return facts(Object.keys(row).map((name) => [name, shown(name)]));
}

/** @param {object} value */
function folded(value) {
  const isList = Array.isArray(value);
  if (isList && !value.length) return h("span", { class: "dim" }, "none");
  const count = countOf(isList ? value.length : Object.keys(value).length, isList ? "value" : "member");
  return h("details", {}, h("summary", {}, count), bodyOf(value));
}
