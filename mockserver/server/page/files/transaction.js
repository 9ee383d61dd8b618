/** The lifecycle of a transaction as a picture: its states on a line of time, its blocks, gas, and who paid. */

import { chainAddress } from "./chain.js";
import { badge, facts, h, svg } from "./dom.js";
import { currentRoute } from "./route.js";
import { linked, moodOf, passed } from "./show.js";
import { chainOf, coinsOf, tokensOf } from "./units.js";

const WIDTH = 500;
const LEFT = 46;
const STEP = (WIDTH - 2 * LEFT) / 5;
const BLOCK = 116;

/** @param {any} row @param {any} paid */
export function transactionPicture(row, paid) {
  const events = /** @type {{ event: string, at_ms: number }[]} */ (row.timeline ?? []);
  const {
    gas_used: gas,
    gas_fee: fee,
    transaction_hash: hash,
    orphaned = row.taken_back ?? [],
    error,
  } = row.receipt ?? {};
  const { place } = row.receipt ?? {};
  const blocks = [
    ...orphaned.map((/** @type {any} */ each) => ({ ...each.place, isOrphaned: true })),
    place ?? [],
  ].flat();
  const sent = row.calls.reduce(
    (/** @type {bigint} */ sum, /** @type {any} */ call) => sum + BigInt(call.value),
    0n,
  );
  return h(
    "section",
    { class: "picture" },
    h("h3", {}, "Lifecycle"),
    events.length > 0 && timeline(events, row.status, blocks),
    facts([
      ["Status", badge(row.status, moodOf(row.status))],
      ...reasons(row.status, error),
      ["Chain", onChain(row, {}, chainOf(row.chain_id))],
      ...blocks.map(
        (block) =>
          /** @type {[string, Node]} */ ([block.isOrphaned ? "Orphaned" : "Block", blockName(block, row)]),
      ),
      ["Hash", hash && h("span", { class: "mono" }, ...linked(hash))],
      ["Sends", sent > 0n && coinsOf(sent, row.chain_id)],
      ["Gas used", gas && h("span", {}, `${gas.toLocaleString("en")} for `, coinsOf(fee, row.chain_id))],
      ["Paid by", paid && h("span", {}, ...linked(paid.payer), " ", payment(paid, row.chain_id))],
      ["Fate", row.fate && row.fate.outcome],
    ]),
  );
}

/** The calls that were executed, each with those that it made below it. @param {any} trace */
export function traceOf({ calls, failure }) {
  return h(
    "section",
    {},
    h("h3", {}, "Executed calls"),
    failure && h("p", {}, h("strong", {}, failure)),
    callTree(calls),
  );
}

/** @param {any[]} calls the first is of the lowest depth */
function callTree(calls) {
  const list = h("ul", { class: "trace mono" });
  for (const [place, call] of calls.entries()) {
    if (call.depth !== calls[0].depth) continue;
    const following = calls.slice(place + 1);
    const next = following.findIndex((other) => other.depth <= call.depth);
    const inner = next < 0 ? following : following.slice(0, next);
    list.append(h("li", {}, tracedCall(call), inner.length > 0 && callTree(inner)));
  }
  return list;
}

/** @param {any} call */
function tracedCall(call) {
  return h(
    "span",
    {},
    `${call.kind} `,
    ...linked(call.call),
    h("span", { class: "dim" }, ` ${call.gas_used.toLocaleString("en")} gas`),
    call.error && h("strong", {}, ` ${call.error}`),
  );
}

/** Why it did not succeed. @param {string} status @param {any} error @returns {[string, any][]} */
function reasons(status, error) {
  if (!error) return [];
  return [
    [status === "reverted" ? "Reverted because" : "Failed because", h("strong", {}, error.reason)],
    // What a revert with a reason has no name of its own for.
    ["Error", error.name !== "Error" && error.name && h("code", {}, error.name)],
    ["Cause", error.cause],
    ["What helps", error.solution],
  ];
}

/** A link to a chain, or to a part of it. @param {any} row @param {Record<string, unknown>} part @param {import("./dom.js").Child} label */
function onChain(row, part, label) {
  return h("a", { href: chainAddress(currentRoute().project, row.chain_id, part) }, label);
}

/** @param {any} block @param {any} row */
function blockName({ block_number: number, block_hash: hash, isOrphaned }, row) {
  const name = isOrphaned ? h("s", {}, number) : onChain(row, { block: number }, number);
  return h("span", { class: "mono" }, name, " ", ...linked(hash));
}

/** @param {any} paid @param {number} chain */
function payment(paid, chain) {
  if (!paid.token) return coinsOf(paid.wei, chain);
  return h("span", {}, "with ", tokensOf(paid.token_amount, paid.token), " of ", ...linked(paid.token));
}

/**
 * @param {{ event: string, at_ms: number }[]} events
 * @param {string} status
 * @param {{ block_number: number, isOrphaned?: boolean }[]} blocks those that reorganizations replaced come first
 */
function timeline(events, status, blocks) {
  const step = Math.min(STEP, (WIDTH - 2 * LEFT) / Math.max(1, events.length - 1));
  const start = events[0].at_ms;
  const after = events.map((each) => `${each.event} after ${passed(each.at_ms - start)}`);
  const replaced = blocks
    .filter((each) => each.isOrphaned)
    .map((each) => `block ${each.block_number} was orphaned`);
  const y = 42;
  const x = (/** @type {number} */ index) => LEFT + step * index;
  return svg(
    "svg",
    {
      viewBox: `0 0 ${WIDTH} ${blocks.length ? 132 : 84}`,
      role: "img",
      "aria-label": `Lifecycle: ${[...after, ...replaced].join(", ")}`,
      class: "lifecycle",
    },
    svg("line", { x1: LEFT, x2: x(events.length - 1), y1: y, y2: y, class: "line" }),
    ...events.map((each, index) => dot(each, x(index), y, start)),
    ...blockPictures(blocks, inclusions(events, status, blocks.length).map(x)),
  );
}

/** The places of the events at which a transaction got into its blocks. @param {{ event: string }[]} events @param {string} status @param {number} count */
function inclusions(events, status, count) {
  const places = (/** @type {string} */ name) =>
    [...events.keys()].filter((place) => events[place].event === name);
  const found = places("indexed").length >= count ? places("indexed") : places("confirmed");
  const last = found.length ? found : places(status);
  return Array.from({ length: count }, (_, index) => last[index] ?? last.at(-1) ?? 0);
}

/** @param {{ event: string, at_ms: number }} each @param {number} x @param {number} y @param {number} start */
function dot(each, x, y, start) {
  return svg(
    "g",
    { class: `state ${moodOf(each.event)}` },
    svg("circle", { cx: x, cy: y, r: 7 }),
    svg("text", { x, y: 24, "text-anchor": "middle", class: "event" }, each.event.replaceAll("_", " ")),
    svg("text", { x, y: 68, "text-anchor": "middle", class: "after" }, `+${passed(each.at_ms - start)}`),
    svg("title", {}, `${each.event} at ${new Date(each.at_ms).toISOString()}`),
  );
}

/** The blocks side by side, each below where it was made. @param {any[]} blocks @param {number[]} places */
function blockPictures(blocks, places) {
  let free = 4;
  return blocks.map(({ block_number: number, isOrphaned }, index) => {
    const x = places[index];
    const left = Math.max(free, Math.min(x - BLOCK / 2, WIDTH - 4 - (BLOCK + 8) * (blocks.length - index)));
    free = left + BLOCK + 8;
    const middle = left + BLOCK / 2;
    const cross = `M${left} 92l${BLOCK} 34m0 -34l-${BLOCK} 34`;
    return svg(
      "g",
      { class: isOrphaned ? "block orphaned" : "block" },
      svg("line", { x1: x, x2: Math.max(left, Math.min(x, left + BLOCK)), y1: 74, y2: 92, class: "line" }),
      svg("rect", { x: left, y: 92, width: BLOCK, height: 34, rx: 6 }),
      isOrphaned && svg("path", { d: cross, class: "cross" }),
      svg("text", { x: middle, y: 113, "text-anchor": "middle" }, `block ${number}`),
    );
  });
}
