/** An exchange as a row of the journal, and the grid that it shares with recordings and the timeline. */

import { badge, h } from "./dom.js";
import { passed, statusBadge, timeOf } from "./show.js";

/** The columns from the left. @typedef {Record<string, import("./dom.js").Child | import("./dom.js").Child[]>} Cells */
const COLUMNS = ["number", "time", "method", "path", "marks", "operation", "took", "status"];
const HEADS = {
  number: "#",
  time: "Time",
  method: "Method",
  path: "Path",
  operation: "Operation",
  took: "Took",
  status: "Status",
};
const TOOK = "How long the call took on the project's clock: what it waited for";

/** A row of the grid. @param {Cells} cells @param {string} [kind] */
export function gridRow(cells, kind = "") {
  const spans = COLUMNS.map((name) => h("span", { class: name }, ...[cells[name]].flat()));
  return h("div", { class: `exchange ${kind}`, "aria-hidden": kind === "columns" && "true" }, spans);
}

/** What is above the rows. @param {Cells} [heads] */
export function gridHead(heads = {}) {
  const element = gridRow({ ...HEADS, ...heads }, "columns");
  element.querySelector(".took")?.setAttribute("title", TOOK);
  return element;
}

/** @param {any} row */
export function exchangeRow(row) {
  const element = gridRow({
    number: row.n,
    time: timeOf(row.at),
    method: row.method,
    path: [row.path, row.query && h("span", { class: "dim" }, `?${row.query}`)],
    marks: marksOf(row),
    operation: row.operation ?? "no operation",
    took: row.took_ms > 0 && passed(row.took_ms),
    status: statusBadge(row),
  });
  element.dataset.method = row.method;
  element.title = row.path;
  return element;
}

/** What a rule or the server made of a call. @param {any} exchange */
export function marksOf({ rule, fault, hints }) {
  return [
    rule && badge(rule, "cool"),
    fault && badge(fault, "bad"),
    hints.length > 0 && badge("hint", "warn"),
  ];
}
