/**
 * The frame around the views: navigation, project, clock, keys, and what every view is given.
 *
 * @typedef {{
 *   project: string,
 *   params: URLSearchParams,
 *   reloadProjects: () => Promise<any[]>,
 * }} Context
 */

import { Refused, get, keepToken } from "./api.js";
import { Banner } from "./banner.js";
import { button, fill, h, notify } from "./dom.js";
import { Header } from "./header.js";
import { onKey } from "./keys.js";
import { Live } from "./live.js";
import { addressOf, currentRoute, isElsewhere, noteShown } from "./route.js";
import { setToday } from "./show.js";
import { loadUnits } from "./units.js";
import { VIEWS } from "./views.js";

const RETRY_MS = 1000;

const main = /** @type {HTMLElement} */ (document.getElementById("main"));
const header = new Header(/** @type {HTMLElement} */ (document.getElementById("top")));
const banner = new Banner();
main.before(banner.element);
const live = new Live(tell, connect);

/** @type {import("./views.js").View | null} */
let view = null;
/** @type {any} */
let latest = null;
let lastProject = "";
/** @type {any[]} */
let known = [];

/** @param {any} event */
function tell(event) {
  latest = event;
  setToday(event.clock.now);
  header.update(event);
  view?.update(event);
}

/** @param {import("./live.js").Connection} connection */
function connect(connection) {
  header.connect(connection);
  if (connection === "gone" && !main.classList.contains("stale")) {
    header.update(null);
    void reloadProjects().then(() => banner.show(connection, lastProject, known));
  }
  if (connection === "anew") reloadProjects().catch(explain);
  banner.show(connection, lastProject, known);
  if (connection !== "paused") main.classList.toggle("stale", connection === "off" || connection === "gone");
}

async function reloadProjects() {
  ({ data: known } = await get("projects", { limit: 1000 }));
  header.offer(known);
  return known;
}

async function navigate() {
  noteShown();
  const { project, view: name, params } = currentRoute();
  if (!project || !VIEWS[name]) {
    const [first] = project ? [{ id: project }] : await reloadProjects();
    if (!first) return offerProjects();
    return location.replace(addressOf(first.id, VIEWS[name] ? name : "journal", params));
  }
  if (project !== lastProject) {
    latest = null;
    lastProject = project;
    banner.hide();
    main.classList.remove("stale");
    header.update(null);
    Promise.all([reloadProjects(), loadUnits(project)]).catch(explain);
  }
  view?.dispose();
  document.querySelector("dialog")?.remove();
  view = new VIEWS[name].make({ project, params, reloadProjects });
  fill(main, view.element);
  header.show(project, name);
  document.title = `${VIEWS[name].title} · Mock server`;
  live.follow(project);
  if (latest) view.update(latest);
}

/** Wait for the first project of a server that has none. */
function offerProjects() {
  fill(
    main,
    h("p", { class: "empty" }, "This server has no projects. The next request with a test key makes one."),
  );
  retry();
}

function retry() {
  setTimeout(() => navigate().catch(explain), RETRY_MS);
}

/** Whether a request got no answer, as browsers say it. @param {unknown} error */
function isUnanswered(error) {
  return error instanceof TypeError && /fetch|network|load failed/i.test(error.message);
}

/** @param {unknown} error */
function explain(error) {
  if (isUnanswered(error)) {
    if (view && main.classList.contains("stale")) return;
    if (view) return notify("The server does not answer.");
    connect("off");
    retry();
  } else if (!(error instanceof Refused)) {
    notify(String(error));
  } else if (error.status === 401) {
    askForToken(error.message);
  } else if (error.kind === "unknown_project") {
    connect("gone");
  } else {
    const { project } = currentRoute();
    const link = h("a", { href: addressOf(project, "journal") }, "Show the journal");
    fill(
      main,
      h("p", { class: "empty", role: "alert" }, error.message),
      h(
        "p",
        { class: "empty" },
        link,
        " or ",
        button("Try again", () => navigate().catch(explain)),
      ),
    );
  }
}

/** @param {string} reason */
function askForToken(reason) {
  if (main.querySelector("form.token")) return;
  banner.hide();
  main.classList.remove("stale");
  const field = h("input", { type: "password", autocomplete: "off", "aria-label": "Control token" });
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    keepToken(field.value);
    location.reload();
  };
  fill(
    main,
    h(
      "form",
      { class: "empty token", on: { submit } },
      h("h2", {}, "Control token"),
      h("p", {}, reason),
      field,
      " ",
      h("button", { class: "main" }, "Continue"),
    ),
  );
  field.focus();
}

addEventListener("hashchange", () => isElsewhere() && navigate().catch(explain));
addEventListener("unhandledrejection", (event) => {
  if (event.reason instanceof Refused || isUnanswered(event.reason)) event.preventDefault();
  explain(event.reason);
});
document.addEventListener("keydown", (event) => onKey(event, () => view));
document.querySelector(".skip")?.addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
navigate().catch(explain);
