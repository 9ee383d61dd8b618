/** Projects with their keys, the settings of one, and the server's health. */

import { call, get, ofProject } from "./api.js";
import { badge, button, copy, dialog, facts, fill, h, notify } from "./dom.js";
import { attempt, problemLine } from "./problem.js";
import { addressOf } from "./route.js";

export class ProjectsView {
  /** @param {import("./main.js").Context} context */
  constructor(context) {
    this.context = context;
    this.known = "";
    this.projects = h("div", {});
    this.settings = h("div", {});
    this.health = h("div", {});
    this.problem = problemLine();
    this.element = h(
      "div",
      { class: "scroll" },
      h("h2", {}, "Projects"),
      this.createForm(),
      this.problem,
      this.projects,
      h("h2", {}, "Settings of this project"),
      this.settings,
      h("h2", {}, "Server"),
      this.health,
    );
    void this.showHealth();
  }

  createForm() {
    const name = h("input", { placeholder: "Name", "aria-label": "Name of a new project" });
    const submit = async (/** @type {Event} */ event) => {
      event.preventDefault();
      const made = await attempt(this.problem, () =>
        call("POST", "projects", { json: name.value ? { name: name.value } : {} }),
      );
      if (made) location.hash = addressOf(made.id, "projects");
    };
    return h("form", { class: "buttons", on: { submit } }, name, h("button", {}, "Create a project"));
  }

  /** @param {any} event */
  update(event) {
    const known = `${event.generation}`;
    if (known === this.known) return;
    this.known = known;
    void this.reload();
  }

  async reload() {
    const projects = await this.context.reloadProjects();
    fill(
      this.projects,
      h(
        "table",
        {},
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            ["Project", "Keys", "Mode", "Seed", ""].map((name) =>
              h("th", { scope: "col" }, name || h("span", { class: "unseen" }, "Actions")),
            ),
          ),
        ),
        h(
          "tbody",
          {},
          projects.map((project) => this.row(project)),
        ),
      ),
    );
    await this.showSettings();
  }

  /** @param {any} project */
  row(project) {
    const key = (/** @type {string} */ text) =>
      h(
        "div",
        {},
        h("code", {}, text),
        " ",
        button("copy", () => copy(text), { class: "plain", "aria-label": `Copy ${text}` }),
      );
    const isCurrent = project.id === this.context.project;
    return h(
      "tr",
      {},
      h(
        "td",
        {},
        h("a", { href: addressOf(project.id, "journal") }, project.name),
        " ",
        isCurrent && badge("shown", "good"),
        h("div", { class: "dim mono" }, project.id),
      ),
      h(
        "td",
        {},
        key(project.secret_key),
        key(project.publishable_key),
        project.scopes.length > 0 && h("div", { class: "dim" }, project.scopes.join(", ")),
      ),
      h("td", {}, project.livemode ? badge("live", "warn") : badge("test")),
      h("td", { class: "mono" }, project.seed),
      h(
        "td",
        {},
        button("Reset", () => this.confirm("Reset", project, "POST", "/reset")),
        " ",
        button("Delete", () => this.confirm("Delete", project, "DELETE", ""), { class: "risky" }),
      ),
    );
  }

  /** @param {string} verb @param {any} project @param {string} method @param {string} path */
  confirm(verb, project, method, path) {
    const run = async () => {
      box.close();
      if (await attempt(this.problem, () => call(method, ofProject(project.id, path)))) {
        notify(`${verb}: done`);
        if (verb === "Delete" && project.id === this.context.project) location.hash = "";
        else await this.reload();
      }
    };
    const box = dialog(
      `${verb} the project ${project.name}?`,
      h("p", {}, "All of its rows are lost, and there is no way back."),
      button(verb, run, { class: "risky" }),
    );
  }

  async showSettings() {
    const path = ofProject(this.context.project, "/settings");
    const settings = await get(path);
    const rows = Object.entries(settings).map(([name, value]) => {
      const field = h("input", { class: "mono", "aria-label": name, spellcheck: "false" });
      field.value = JSON.stringify(value);
      field.addEventListener("change", () => void this.change(path, name, field));
      return h("tr", {}, h("th", { scope: "row", class: "mono" }, name), h("td", {}, field));
    });
    fill(this.settings, h("table", { class: "settings" }, h("tbody", {}, rows)));
  }

  /** @param {string} path @param {string} name @param {HTMLInputElement} field */
  async change(path, name, field) {
    const changed = await attempt(this.problem, () =>
      call("PUT", path, { json: { [name]: readValue(field.value) } }),
    );
    field.setAttribute("aria-invalid", String(!changed));
    if (changed) notify(`${name} is ${JSON.stringify(changed[name])}`);
  }

  async showHealth() {
    const [health, described] = await Promise.all([get("health"), get("openapi.json", { api: "control" })]);
    fill(
      this.health,
      facts([
        ["Status", badge(health.status, "good")],
        ["Version", described.info.version],
        ["Lines of the log dropped", health.log.dropped],
        ["API", h("a", { href: "docs" }, "Reference with a form for each call")],
      ]),
    );
  }

  key() {
    return false;
  }

  dispose() {}
}

/** A value as JSON; what is none is a text. @param {string} text */
function readValue(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
