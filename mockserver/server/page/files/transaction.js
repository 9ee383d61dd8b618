/** The lifecycle of a transaction as a picture: its states on a line of time, its block, gas, and who paid. */

import { facts, h, svg } from "./dom.js";
import { linked, valueOf } from "./show.js";

const WIDTH = 500;
const LEFT = 46;
const STEP = (WIDTH - 2 * LEFT) / 5;
const GOOD = new Set(["successful", "confirmed", "indexed"]);
const BAD = new Set(["failed", "reverted", "dropped", "expired", "replaced"]);

/** @param {any} row @param {any} paid */
export function transactionPicture(row, paid) {
  const events = /** @type {{ event: string, at_ms: number }[]} */ (row.timeline ?? []);
  const place = row.receipt?.place;
  return h(
    "section",
    { class: "picture" },
    h("h3", {}, "Lifecycle"),
    events.length > 0 && timeline(events, row.status, place),
    facts([
      ["Status", row.status],
      ["Block", place && h("span", { class: "mono" }, `${place.block_number} `, ...linked(place.block_hash))],
      [
        "Hash",
        row.receipt?.transaction_hash &&
          h("span", { class: "mono" }, ...linked(row.receipt.transaction_hash)),
      ],
      [
        "Gas used",
        row.receipt?.gas_used &&
          `${row.receipt.gas_used.toLocaleString("en")} for ${coins(row.receipt.gas_fee)}`,
      ],
      ["Paid by", paid && h("span", {}, ...linked(paid.payer), payment(paid))],
      ["Reverted because", row.receipt?.error && JSON.stringify(row.receipt.error)],
      [
        "Once in",
        row.receipt?.orphaned?.length > 0 &&
          `${row.receipt.orphaned.length} blocks that reorganizations replaced`,
      ],
      ["Fate", row.fate && row.fate.outcome],
    ]),
  );
}

/** @param {any} paid */
function payment(paid) {
  return paid.token
    ? h("span", {}, " with ", paid.token_amount, " of ", ...linked(paid.token))
    : ` ${coins(paid.wei)}`;
}

/** An amount of wei in coins, without the zeros at its end. @param {string | number} wei */
function coins(wei) {
  const digits = BigInt(wei).toString().padStart(19, "0");
  const rest = digits.slice(-18).replace(/0+$/, "");
  return `${digits.slice(0, -18)}${rest ? `.${rest}` : ""} coins`;
}

/** @param {{ event: string, at_ms: number }[]} events @param {string} status @param {any} place */
function timeline(events, status, place) {
  const step = Math.min(STEP, (WIDTH - 2 * LEFT) / Math.max(1, events.length - 1));
  const start = events[0].at_ms;
  const label = events.map((each) => `${each.event} after ${passed(each.at_ms - start)}`).join(", ");
  const line = svg("line", {
    x1: LEFT,
    x2: LEFT + step * (events.length - 1),
    y1: 42,
    y2: 42,
    class: "line",
  });
  const dots = events.map((each, index) => dot(each, LEFT + step * index, start));
  const block =
    place &&
    blockOf(
      place,
      LEFT +
        step *
          Math.max(
            0,
            events.findIndex((each) => each.event === "confirmed" || each.event === status),
          ),
    );
  return svg(
    "svg",
    {
      viewBox: `0 0 ${WIDTH} ${place ? 132 : 84}`,
      role: "img",
      "aria-label": `Lifecycle: ${label}`,
      class: "lifecycle",
    },
    line,
    ...dots,
    block,
  );
}

/** @param {{ event: string, at_ms: number }} each @param {number} x @param {number} start */
function dot(each, x, start) {
  const kind = GOOD.has(each.event) ? "good" : BAD.has(each.event) ? "bad" : "";
  return svg(
    "g",
    { class: `state ${kind}` },
    svg("circle", { cx: x, cy: 42, r: 7 }),
    svg("text", { x, y: 24, "text-anchor": "middle", class: "event" }, each.event.replaceAll("_", " ")),
    svg("text", { x, y: 68, "text-anchor": "middle", class: "after" }, `+${passed(each.at_ms - start)}`),
    svg("title", {}, `${each.event} at ${valueOf("at_ms", each.at_ms)}`),
  );
}

/** @param {any} place @param {number} x */
function blockOf(place, x) {
  const left = Math.min(Math.max(x - 70, 4), WIDTH - 144);
  return svg(
    "g",
    { class: "block" },
    svg("line", { x1: x, x2: x, y1: 74, y2: 92, class: "line" }),
    svg("rect", { x: left, y: 92, width: 140, height: 34, rx: 6 }),
    svg("text", { x: left + 70, y: 113, "text-anchor": "middle" }, `block ${place.block_number}`),
  );
}

/** @param {number} ms */
function passed(ms) {
  if (ms < 1000) return `${ms} ms`;
  return ms < 60_000 ? `${ms / 1000} s` : `${Math.round(ms / 6000) / 10} min`;
}
