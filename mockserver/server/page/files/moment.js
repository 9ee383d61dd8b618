/** One moment of the timeline: what it changed, how it differs from another one, and what can be done from there. */

import { call, get, ofProject } from "./api.js";
import { ask, button, dialog, facts, fill, h, notify } from "./dom.js";
import { effectsOf, loadDifferences } from "./effects.js";
import { nameOf } from "./moment_row.js";
import { attempt, problemLine } from "./problem.js";
import { addressOf } from "./route.js";
import { momentOf, statusBadge } from "./show.js";

/**
 * @typedef {{
 *   marked: string | null,
 *   mark: (moment: string | null) => void,
 *   close: () => void,
 *   problem: HTMLElement,
 * }} Actions
 */

/**
 * @param {HTMLElement} place
 * @param {import("./main.js").Context} context
 * @param {any} row
 * @param {Actions} actions
 */
export async function showMoment(place, context, row, actions) {
  place.dataset.moment = row.n;
  const { marked, problem } = actions;
  const effects = await effectsAt(context.project, row);
  const differences = marked && (await attempt(problem, () => compare(context.project, marked, row.n)));
  // Another one may have been opened meanwhile.
  if (place.dataset.moment !== String(row.n)) return;
  fill(place, headOf(context, row, actions), differences, effectsOf(effects));
  place.scrollTop = 0;
}

/** @param {string} project @param {any} row */
async function effectsAt(project, row) {
  const nothing = { rows: [], timers_set: [], timers_cancelled: [], fired: [], omitted: 0 };
  if (!row.rows && !row.fired) return nothing;
  const { data } = await get(ofProject(project, "/effects"), { since: row.n - 1, limit: 1 });
  return data[0]?.n === row.n ? data[0].effects : nothing;
}

/** @param {import("./main.js").Context} context @param {any} row @param {Actions} actions */
function headOf(context, row, actions) {
  const { exchange } = row;
  const moment = String(row.n);
  const { marked, mark, close } = actions;
  const isMarked = marked === moment;
  const link = (/** @type {string} */ view, /** @type {any} */ params, /** @type {string} */ label) =>
    h("a", { href: addressOf(context.project, view, params) }, label);
  return h(
    "div",
    { class: "head" },
    h(
      "div",
      { class: "actions" },
      button("Fork", () => askForName(context, moment), { title: "A new project from here" }),
      button("Go back", () => confirmTravel(context, row, actions), { class: "risky" }),
      button("Mark", () => mark(isMarked ? null : moment), {
        title: "Compare other moments with this one (m)",
        "aria-pressed": String(isMarked),
      }),
      button("Close", close, { title: "Close (Esc)" }),
    ),
    h("h2", { class: "mono" }, nameOf(row)),
    h(
      "p",
      {},
      link("tables", { at: moment }, "Rows at this moment"),
      exchange && " · ",
      exchange && link("journal", { n: exchange.n }, "In the journal"),
    ),
    facts([
      ["Moment", h("code", {}, moment)],
      ["Time", momentOf(row.at)],
      ["Status", exchange && statusBadge(exchange)],
      ["Operation", row.operation],
      ["Rule", exchange?.rule],
    ]),
  );
}

/** The rows that differ. @param {string} project @param {string} earlier @param {string} later */
async function compare(project, earlier, later) {
  const path = ofProject(project, "/differences");
  return h("section", {}, await loadDifferences(`From ${earlier} to ${later}`, path, { earlier, later }));
}

/** @param {import("./main.js").Context} context @param {string} moment */
function askForName(context, moment) {
  const name = h("input", { placeholder: "Name (optional)", "aria-label": "Name of the fork" });
  const problem = problemLine();
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const json = { at: Number(moment), ...(name.value ? { name: name.value } : {}) };
    const path = ofProject(context.project, "/forks");
    const fork = await attempt(problem, () => call("POST", path, { json }));
    if (!fork) return;
    box.close();
    await context.reloadProjects();
    notify(`${fork.name} is a project of its own`);
    location.hash = addressOf(fork.id, "tables");
  };
  const form = h("form", { class: "buttons", on: { submit } }, name, h("button", { class: "main" }, "Fork"));
  const box = dialog(`A new project, as this one was after ${moment}`, form, problem);
}

/** @param {import("./main.js").Context} context @param {any} row @param {Actions} actions */
function confirmTravel(context, row, actions) {
  const go = async () => {
    const json = { to: row.n };
    const path = ofProject(context.project, "/travel");
    const went = await attempt(actions.problem, () => call("POST", path, { json }));
    if (went) notify(`The project is as it was after ${row.n}`);
  };
  const text = "Rows, timers, settings and the clock become as they were. The journal stays.";
  ask(`Go back to ${row.n}?`, text, "Go back", go);
}
