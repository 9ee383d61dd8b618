/** One row: its members with links, and for some tables a picture. */

import { Refused, get, ofProject } from "./api.js";
import { button, fill, h } from "./dom.js";
import { decisionsOf, policyOf } from "./decisions.js";
import { addressOf } from "./route.js";
import { traceOf, transactionPicture } from "./transaction.js";
import { membersOf } from "./values.js";

/**
 * @param {HTMLElement} place
 * @param {{ project: string, table: string, id: string, at: string | null }} which `at` an earlier moment, or now
 * @param {() => void} close
 */
export async function showRow(place, { project, table, id, at }, close) {
  place.dataset.row = id;
  try {
    const { row } = await get(
      ofProject(project, `/tables/${encodeURIComponent(table)}/${encodeURIComponent(id)}`),
      { at },
    );
    // What decided about a transaction is known of those that there are now.
    const picture = at ? null : await pictureOf(project, table, row);
    if (place.dataset.row !== id) return;
    const links = h(
      "p",
      {},
      h("a", { href: addressOf(project, "search", { q: id }) }, "What mentions it"),
      " · ",
      h("a", { href: addressOf(project, "journal", { text: id }) }, "Requests about it"),
    );
    fill(
      place,
      h("div", { class: "actions" }, button("Close", close, { title: "Close (Esc)" })),
      h("h2", { class: "mono" }, id),
      h("p", { class: "dim" }, table),
      links,
      picture,
      h("section", {}, h("h3", {}, "Members"), membersOf(table, row)),
    );
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    fill(place, button("Close", close), h("p", { class: "empty" }, error.message));
  }
}

/** @param {string} project @param {string} table @param {any} row */
async function pictureOf(project, table, row) {
  if (table === "guardrails.policies") return policyOf(row);
  if (table !== "onchain.transactions" && table !== "onchain.solana_transactions") return null;
  const decisions = await get(ofProject(project, `/transactions/${encodeURIComponent(row.id)}/decisions`));
  const isEvm = table === "onchain.transactions";
  const traced = row.receipt?.trace && (await get(ofProject(project, `/transactions/${row.id}/trace`)));
  return h(
    "div",
    {},
    isEvm && transactionPicture(row, decisions.paid),
    traced && traceOf(traced),
    decisionsOf(decisions),
  );
}
