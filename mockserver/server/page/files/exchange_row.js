/** An exchange as a row of the journal. */

import { badge, h } from "./dom.js";
import { statusBadge, timeOf } from "./show.js";

/** @param {any} row */
export function exchangeRow(row) {
  return h(
    "div",
    { class: "exchange" },
    h("span", { class: "number dim mono" }, row.n),
    h("span", { class: "time dim mono" }, timeOf(row.at)),
    h("span", { class: "method mono" }, row.method),
    h(
      "span",
      { class: "path mono", title: row.path },
      row.path,
      row.query && h("span", { class: "dim" }, `?${row.query}`),
    ),
    h(
      "span",
      { class: "marks" },
      row.rule && badge(row.rule, "cool"),
      row.fault && badge(row.fault, "bad"),
      row.hints.length > 0 && badge("hint", "warn"),
    ),
    h("span", { class: "operation dim" }, row.operation ?? "no operation"),
    h("span", { class: "status" }, statusBadge(row.status)),
  );
}
