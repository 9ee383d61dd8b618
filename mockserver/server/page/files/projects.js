/** Projects with their keys, the settings of one, and the server's health. */

import { call, get, ofProject, urlOf } from "./api.js";
import { ask, badge, button, copy, facts, fill, h, notify, table } from "./dom.js";
import { attempt, problemLine } from "./problem.js";
import { addressOf } from "./route.js";
import { Settings } from "./settings.js";
import { View } from "./view.js";

export class ProjectsView extends View {
  /** @param {import("./main.js").Context} context */
  constructor(context) {
    super();
    this.context = context;
    this.projects = h("div", {});
    this.settings = new Settings(context.project);
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
      this.settings.element,
      h("h2", {}, "Server"),
      this.health,
    );
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
  stateOf(event) {
    return event.generation;
  }

  async reload() {
    const projects = await this.context.reloadProjects();
    const rows = projects.map((project) => this.row(project));
    fill(this.projects, table(["Project", "Keys", "Mode", "Seed", ""], rows));
    const described = get("openapi.json", { api: "control" });
    await Promise.all([this.settings.show(described), this.showHealth(described)]);
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
    return [
      h(
        "div",
        {},
        h("a", { href: addressOf(project.id, "journal") }, project.name),
        " ",
        isCurrent && badge("shown", "good"),
        h("div", { class: "dim mono" }, project.id),
      ),
      h(
        "div",
        {},
        key(project.secret_key),
        key(project.publishable_key),
        project.scopes.length > 0 && h("div", { class: "dim" }, project.scopes.join(", ")),
      ),
      project.livemode ? badge("live", "warn") : badge("test"),
      h("span", { class: "mono" }, project.seed),
      h(
        "div",
        { class: "buttons" },
        button("Reset", () => this.ask("Reset", project, "POST", "/reset")),
        button("Delete", () => this.ask("Delete", project, "DELETE", ""), { class: "risky" }),
      ),
    ];
  }

  /** @param {string} verb @param {any} project @param {string} method @param {string} path */
  ask(verb, project, method, path) {
    const text = "All of its rows are lost, and there is no way back.";
    ask(`${verb} the project ${project.name}?`, text, verb, async () => {
      if (!(await attempt(this.problem, () => call(method, ofProject(project.id, path))))) return;
      notify(`${verb}: done`);
      if (verb === "Delete" && project.id === this.context.project) location.hash = "";
      else await this.refresh();
    });
  }

  /** @param {Promise<any>} described the OpenAPI document of the control API */
  async showHealth(described) {
    const [health, { info }] = await Promise.all([get("health"), described]);
    fill(
      this.health,
      facts([
        ["Status", badge(health.status, "good")],
        ["Version", info.version],
        ["Lines of the log dropped", health.log.dropped],
        [
          "API",
          h(
            "a",
            { href: urlOf("docs", { project: this.context.project }).href },
            "Reference with a form for each call",
          ),
        ],
      ]),
    );
  }
}
