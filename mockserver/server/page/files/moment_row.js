/** A moment as a row of the timeline. */

import { badge } from "./dom.js";
import { gridRow } from "./exchange_row.js";
import { countOf, passed, statusBadge, timeOf } from "./show.js";

/** What happened, in a few words. @param {any} moment */
export function nameOf(moment) {
  const { exchange } = moment;
  if (exchange) return `${exchange.method} ${exchange.path}`;
  return moment.cause === "clock" ? "The clock moved" : (moment.operation ?? "A call of the control API");
}

/** @param {any} moment */
export function momentRow(moment) {
  const { exchange, rows, fired } = moment;
  const element = gridRow({
    number: String(moment.n),
    time: timeOf(moment.at),
    method: exchange ? exchange.method : badge(moment.cause, "cool"),
    path: exchange ? exchange.path : nameOf(moment),
    marks: [
      rows > 0 && badge(countOf(rows, "row")),
      fired > 0 && badge(`${fired} fired`, "warn"),
      exchange?.fault && badge(exchange.fault, "bad"),
    ],
    operation: moment.operation,
    took: exchange?.took_ms > 0 && passed(exchange.took_ms),
    status: exchange && statusBadge(exchange),
  });
  if (exchange) element.dataset.method = exchange.method;
  element.title = nameOf(moment);
  return element;
}
