/** A moment as a row of the timeline. */

import { badge, h } from "./dom.js";
import { statusBadge, timeOf } from "./show.js";

const CAUSES = /** @type {Record<string, string>} */ ({ control: "control", clock: "clock", resumed: "resumed" });

/** What happened, in a few words. @param {any} moment */
export function nameOf(moment) {
  const { exchange } = moment;
  if (exchange) return `${exchange.method} ${exchange.path}`;
  return moment.cause === "clock" ? "The clock moved" : (moment.operation ?? "A call of the control API");
}

/** @param {any} moment */
export function momentRow(moment) {
  const { exchange, rows, fired } = moment;
  return h(
    "div",
    { class: "exchange moment" },
    h("span", { class: "number dim mono" }, String(moment.n)),
    h("span", { class: "time dim mono" }, timeOf(moment.at)),
    h("span", { class: "method" }, exchange ? "" : badge(CAUSES[moment.cause] ?? "call", "cool")),
    h("span", { class: "path mono", title: nameOf(moment) }, nameOf(moment)),
    h(
      "span",
      { class: "marks" },
      rows > 0 && badge(`${rows} ${rows === 1 ? "row" : "rows"}`),
      fired > 0 && badge(`${fired} fired`, "warn"),
      exchange?.fault && badge(exchange.fault, "bad"),
    ),
    h("span", { class: "operation dim" }, moment.operation ?? ""),
    h("span", { class: "status" }, exchange && statusBadge(exchange.status)),
  );
}
