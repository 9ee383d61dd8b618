/** Error coverage: which errors the calls of a project have met, and which they never did. */

import { get, ofProject } from "./api.js";
import { button, download, fill, h, table } from "./dom.js";
import { addressOf } from "./route.js";
import { View } from "./view.js";

const HEADS = ["Operation", "Count", "Met", "Not met, most likely first"];

export class CoverageView extends View {
  /** @param {import("./main.js").Context} context */
  constructor(context) {
    super();
    this.project = context.project;
    this.path = ofProject(context.project, "/error-coverage");
    this.total = h("p", { class: "now", role: "status" });
    this.found = h("div", {});
    const save = button("Save as HTML", () => void download(this.path, "error-coverage.html", "text/html"));
    this.element = h(
      "div",
      { class: "scroll" },
      h("h2", {}, "Error coverage"),
      this.total,
      h(
        "p",
        { class: "dim" },
        "Of the errors that the called operations can give, as far as the journal goes back.",
      ),
      h("div", { class: "buttons" }, save),
      this.found,
    );
  }

  /** @param {any} event */
  stateOf(event) {
    return `${event.generation} ${event.first} ${event.calls}`;
  }

  async reload() {
    const { percent, met, missing } = await get(this.path);
    const operations = Object.keys(met);
    const rows = operations.map((operation) => this.row(operation, met[operation], missing[operation]));
    const none = h("p", { class: "dim" }, "None. The first call of the API shows what it can meet.");
    this.total.textContent = operations.length ? `${Math.round(percent)} % met` : "";
    fill(this.found, rows.length ? table(HEADS, rows) : none);
  }

  /** @param {string} operation @param {string[]} met @param {string[]} missing */
  row(operation, met, missing) {
    const calls = addressOf(this.project, "journal", { operation });
    const count = `${met.length} of ${met.length + missing.length}`;
    return [h("a", { href: calls }, operation), count, met.join(", "), missing.join(", ")];
  }
}
