/** Amounts and durations, as people say them. */

import { get, ofProject } from "./api.js";
import { h } from "./dom.js";

const COIN_DECIMALS = 18;
const UNITS = /** @type {[string, number][]} */ ([
  ["day", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1000],
  ["ms", 1],
]);
const SPANS = /^(?:\d+(?:\.\d+)?\s*(?:days?|d|h|min|s|ms)\s*)+$/;
const SPAN = /(\d+(?:\.\d+)?)\s*(days?|d|h|min|s|ms)/g;

/** The chains that are known by name, by their ids. @type {Map<string, { name: string, currency: string, usdc: string | null }>} */
const networks = new Map();
/** Where chains have USDC. */
const usdc = new Set();
/** Tokens that the settings describe, by their addresses. @type {Record<string, { decimals: number | null, symbol: string | null }>} */
let tokens = {};

/** What is being loaded, of which project. @type {{ project: string, units: Promise<void> } | null} */
let loading = null;

/** Load what amounts of a project are shown with, unless it has been. @param {string} project */
export function loadUnits(project) {
  if (loading?.project !== project) loading = { project, units: load(project) };
  return loading.units;
}

/** @param {string} project */
async function load(project) {
  try {
    const { data } = networks.size ? { data: [] } : await get("networks", { limit: 1000 });
    for (const each of data) {
      networks.set(String(each.chain_id), each);
      usdc.add(each.usdc);
    }
    ({ tokens } = await get(ofProject(project, "/settings")));
  } catch (error) {
    loading = null;
    throw error;
  }
}

/** The chains that are known by name, once units are loaded. */
export function chainsOf() {
  return [...networks];
}

/** A chain with its name. @param {unknown} chain */
export function chainOf(chain) {
  const name = networks.get(String(chain))?.name;
  return h("span", {}, String(chain), name && h("span", { class: "dim" }, ` ${name}`));
}

/** An amount of wei in coins of a chain. @param {unknown} wei @param {unknown} chain */
export function coinsOf(wei, chain) {
  return amountOf(wei, COIN_DECIMALS, networks.get(String(chain))?.currency ?? "coins", "wei");
}

/** An amount of an ERC-20. @param {unknown} units @param {string} token its address */
export function tokensOf(units, token) {
  const address = token.toLowerCase();
  const { decimals, symbol } = tokens[address] ?? {};
  const [usual, name] = usdc.has(address) ? [6, "USDC"] : [COIN_DECIMALS, "tokens"];
  return amountOf(units, decimals ?? usual, symbol ?? name, "units");
}

/** @param {unknown} units @param {number} decimals @param {string} symbol @param {string} unit */
function amountOf(units, decimals, symbol, unit) {
  const exact = typeof units === "object" ? JSON.stringify(units) : String(units);
  const digits = exact.replace("-", "").padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals).replace(/\B(?=(\d{3})+$)/g, ",");
  const rest = digits.slice(digits.length - decimals).replace(/0+$/, "");
  const sign = exact.startsWith("-") ? "-" : "";
  // The symbol stays where there is no room for all digits.
  const amount = h("span", {}, `${sign}${whole}${rest && `.${rest}`}`);
  return h("span", { class: "middle", title: `${exact} ${unit}` }, amount, ` ${symbol}`);
}

/** A duration in its largest unit that leaves no rest. @param {number} ms */
export function durationOf(ms) {
  const [unit, size] = UNITS.find(([, each]) => ms && ms % each === 0) ?? ["ms", 1];
  const count = ms / size;
  return `${count} ${unit}${unit === "day" && count !== 1 ? "s" : ""}`;
}

/** The milliseconds of a duration such as `7 days`, `1 h 30 min` or `1500`; null for what is none. @param {string} text */
export function readDuration(text) {
  const given = text.trim();
  if (/^\d+$/.test(given)) return Number(given);
  if (!SPANS.test(given)) return null;
  const sizeOf = (/** @type {string} */ unit) =>
    UNITS.find(([name]) => name === unit || unit.startsWith("d"))?.[1] ?? 0;
  return [...given.matchAll(SPAN)].reduce(
    (sum, [, count, unit]) => sum + Math.round(Number(count) * sizeOf(unit)),
    0,
  );
}
