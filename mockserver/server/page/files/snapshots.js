/** Snapshots to take, compare and go back to. */

import { call, get, ofProject } from "./api.js";
import { button, dialog, fill, h } from "./dom.js";
import { loadDifferences } from "./effects.js";
import { attempt, problemLine } from "./problem.js";
import { momentOf } from "./show.js";

export class SnapshotsView {
  /** @param {import("./main.js").Context} context */
  constructor(context) {
    this.path = ofProject(context.project, "/snapshots");
    this.known = "";
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
  update(event) {
    const known = `${event.generation} ${event.snapshots}`;
    if (known !== this.known) void this.reload();
    this.known = known;
  }

  async reload() {
    const { data } = await get(this.path, { limit: 1000, order: "desc" });
    const rows = data.map((/** @type {any} */ each) => this.row(each));
    fill(this.taken, data.length ? h("table", {}, h("tbody", {}, rows)) : h("p", { class: "dim" }, "None."));
  }

  /** @param {{ id: string, now: string }} snapshot */
  row(snapshot) {
    const path = `/${encodeURIComponent(snapshot.id)}`;
    const back = () => this.confirm(snapshot.id, () => this.change("POST", `${path}/restore`, undefined));
    const labelled = (/** @type {string} */ verb) => ({ "aria-label": `${verb} ${snapshot.id}` });
    return h(
      "tr",
      {},
      h("th", { scope: "row" }, snapshot.id),
      h("td", {}, momentOf(snapshot.now)),
      h(
        "td",
        {},
        h(
          "div",
          { class: "buttons" },
          button("Compare", () => void this.compare(snapshot.id), labelled("Compare")),
          button("Go back", back, labelled("Go back to")),
          button("Delete", () => void this.change("DELETE", path), { class: "risky", ...labelled("Delete") }),
        ),
      ),
    );
  }

  /** @param {string} id @param {() => Promise<void>} run */
  confirm(id, run) {
    const go = () => {
      box.close();
      void run();
    };
    const text = h("p", {}, "What happened since is undone, except for the journal.");
    const box = dialog(`Go back to ${id}?`, text, button("Go back", go, { class: "risky" }));
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
      await this.reload();
    });
  }

  key() {
    return false;
  }

  dispose() {}
}
