/** Snapshots to take, compare and go back to. */

import { call, get, ofProject } from "./api.js";
import { ask, button, fill, h, table } from "./dom.js";
import { loadDifferences } from "./effects.js";
import { attempt, problemLine } from "./problem.js";
import { momentOf } from "./show.js";
import { View } from "./view.js";

export class SnapshotsView extends View {
  /** @param {import("./main.js").Context} context */
  constructor(context) {
    super();
    this.path = ofProject(context.project, "/snapshots");
    this.taken = h("div", {});
    this.compared = h("div", { "aria-live": "polite" });
    this.problem = problemLine();
    this.element = h(
      "div",
      { class: "scroll" },
      h("h2", {}, "Snapshots"),
      this.takeForm(),
      this.problem,
      this.taken,
      this.compared,
    );
  }

  takeForm() {
    const name = h("input", { placeholder: "Name", "aria-label": "Name of a snapshot" });
    const submit = (/** @type {Event} */ event) => {
      event.preventDefault();
      void this.change("POST", "", name.value ? { name: name.value } : {});
      name.value = "";
    };
    return h("form", { class: "buttons", on: { submit } }, name, h("button", {}, "Take a snapshot"));
  }

  /** @param {any} event */
  stateOf(event) {
    return `${event.generation} ${event.snapshots}`;
  }

  async reload() {
    const { data } = await get(this.path, { limit: 1000, order: "desc" });
    const rows = data.map((/** @type {any} */ each) => this.row(each));
    const none = h(
      "p",
      { class: "dim" },
      "None. A snapshot holds the whole state of the project, to go back to.",
    );
    fill(this.taken, data.length ? table(["Name", "Taken at", ""], rows) : none);
  }

  /** @param {{ id: string, now: string }} snapshot */
  row({ id, now }) {
    const path = `/${encodeURIComponent(id)}`;
    const act = (/** @type {string} */ label, /** @type {() => void} */ run, kind = "") =>
      button(label, run, { class: kind, "aria-label": `${label} ${id}` });
    const goBack = () => {
      const text = "What happened since is undone, except for the journal.";
      ask(`Go back to ${id}?`, text, "Go back", () => this.change("POST", `${path}/restore`));
    };
    const remove = () => {
      ask(`Delete ${id}?`, "There is no going back to it then.", "Delete", () => this.change("DELETE", path));
    };
    return [
      h("strong", {}, id),
      momentOf(now),
      h(
        "div",
        { class: "buttons" },
        act("Compare", () => void this.compare(id)),
        act("Go back", goBack),
        act("Delete", remove, "risky"),
      ),
    ];
  }

  /** Show the rows that differ from now. @param {string} id */
  async compare(id) {
    const path = `${this.path}/${encodeURIComponent(id)}/differences`;
    fill(this.compared, await loadDifferences(`Since ${id}`, path));
  }

  /** @param {string} method @param {string} path @param {unknown} [json] */
  async change(method, path, json) {
    await attempt(this.problem, async () => {
      await call(method, this.path + path, { json });
      await this.refresh();
    });
  }
}
