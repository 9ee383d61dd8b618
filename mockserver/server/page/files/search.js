/** One search through all rows by any id, address, hash or e-mail address. */

import { get, ofProject } from "./api.js";
import { fill, h } from "./dom.js";
import { addressOf, changeParams } from "./route.js";

export class SearchView {
  /** @param {import("./main.js").Context} context */
  constructor(context) {
    this.context = context;
    this.known = "";
    this.results = h("div", { class: "scroll", "aria-live": "polite" });
    this.field = h("input", {
      type: "search",
      class: "grow",
      placeholder: "An id, address, hash or e-mail address, or a part of one",
      "aria-label": "Search",
      minlength: 2,
    });
    this.field.value = context.params.get("q") ?? "";
    this.field.addEventListener("input", () => {
      clearTimeout(this.typing);
      this.typing = setTimeout(() => this.search(), 200);
    });
    this.element = h(
      "div",
      { class: "view" },
      h("div", { class: "bar", role: "search" }, this.field),
      this.results,
    );
    if (!this.field.value) queueMicrotask(() => this.field.focus());
  }

  /** @param {any} event */
  update(event) {
    const known = `${event.generation} ${event.version}`;
    if (known === this.known) return;
    this.known = known;
    void this.search();
  }

  async search() {
    const text = this.field.value.trim();
    changeParams({ q: text });
    if (text.length < 2)
      return fill(this.results, h("p", { class: "empty" }, "Type at least two characters."));
    const { project } = this.context;
    const [rows, exchanges] = await Promise.all([
      get(ofProject(project, "/search"), { text }),
      get(ofProject(project, "/journal"), { text, brief: true, limit: 1 }),
    ]);
    if (text !== this.field.value.trim()) return;
    const requests = h(
      "a",
      { href: addressOf(project, "journal", { text }) },
      `${exchanges.total} ${exchanges.total === 1 ? "request mentions" : "requests mention"} it`,
    );
    fill(
      this.results,
      h("p", {}, `${rows.total} ${rows.total === 1 ? "row has" : "rows have"} it. `, requests, "."),
      rows.total > 0 && this.table(rows.data),
    );
  }

  /** @param {any[]} found */
  table(found) {
    const rows = found.map((each) =>
      h(
        "tr",
        {},
        h("td", {}, each.table),
        h(
          "td",
          { class: "mono" },
          h(
            "a",
            { href: addressOf(this.context.project, "tables", { table: each.table, row: each.id }) },
            each.id,
          ),
        ),
        h("td", {}, each.members.join(", ")),
      ),
    );
    return h(
      "table",
      {},
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          ["Table", "Row", "Found in"].map((name) => h("th", { scope: "col" }, name)),
        ),
      ),
      h("tbody", {}, rows),
    );
  }

  /** @param {string} key */
  key(key) {
    if (key !== "/") return false;
    this.field.focus();
    return true;
  }

  dispose() {
    clearTimeout(this.typing);
  }
}
