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
import { fill, h, notify } from "./dom.js";
import { Header } from "./header.js";
import { onKey } from "./keys.js";
import { Live } from "./live.js";
import { addressOf, currentRoute } from "./route.js";
import { VIEWS } from "./views.js";

const main = /** @type {HTMLElement} */ (document.getElementById("main"));
const header = new Header(/** @type {HTMLElement} */ (document.getElementById("top")));
const live = new Live(tell, (connection) => header.connect(connection));

/** @type {import("./views.js").View | null} */
let view = null;
/** @type {any} */
let latest = null;
let lastProject = "";

/** @param {any} event */
function tell(event) {
  latest = event;
  header.update(event);
  view?.update(event);
}

async function reloadProjects() {
  const { data } = await get("projects", { limit: 1000 });
  header.offer(data);
  return data;
}

async function navigate() {
  const { project, view: name, params } = currentRoute();
  if (!project || !VIEWS[name]) {
    const projects = await reloadProjects();
    const known = projects.find((/** @type {any} */ each) => each.id === project) ?? projects[0];
    if (!known) return fill(main, h("p", { class: "empty" }, "This server has no projects."));
    return location.replace(addressOf(known.id, VIEWS[name] ? name : "journal", params));
  }
  if (project !== lastProject) {
    await reloadProjects();
    latest = null;
    lastProject = project;
  }
  view?.dispose();
  view = new VIEWS[name].make({ project, params, reloadProjects });
  fill(main, view.element);
  header.show(project, name);
  document.title = `${VIEWS[name].title} · Mock server`;
  live.follow(project);
  if (latest) view.update(latest);
}

/** @param {unknown} error */
function explain(error) {
  if (!(error instanceof Refused)) {
    notify(error instanceof TypeError ? "The server does not answer." : String(error));
  } else if (error.status === 401) {
    askForToken(error.message);
  } else {
    fill(
      main,
      h("p", { class: "empty", role: "alert" }, error.message),
      h("p", { class: "empty" }, h("a", { href: "#" }, "Show the first project")),
    );
  }
}

/** @param {string} reason */
function askForToken(reason) {
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

addEventListener("hashchange", () => navigate().catch(explain));
addEventListener("unhandledrejection", (event) => explain(event.reason));
document.addEventListener("keydown", (event) => onKey(event, () => view));
document.querySelector(".skip")?.addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
navigate().catch(explain);
