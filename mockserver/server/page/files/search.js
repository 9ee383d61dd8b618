/** One search through all rows by any id, address, hash or e-mail address. */

import { get, ofProject } from "./api.js";
import { fill, h, table } from "./dom.js";
import { addressOf, changeParams } from "./route.js";
import { countOf } from "./show.js";
import { View } from "./view.js";

/** An address, or the hash of a transaction or a block. */
const ON_CHAIN = /^0x(?:[0-9a-fA-F]{40}|[0-9a-fA-F]{64})$/;

export class SearchView extends View {
  /** @param {import("./main.js").Context} context */
  constructor(context) {
    super();
    this.context = context;
    this.results = h("div", { class: "scroll", "aria-live": "polite" });
    this.field = h("input", {
      type: "search",
      class: "grow",
      placeholder: "An id, address, hash, e-mail address or header, or a part of one",
      "aria-label": "Search",
      minlength: 2,
    });
    this.field.value = context.params.get("q") ?? "";
    this.field.addEventListener("input", () => {
      clearTimeout(this.typing);
      this.typing = setTimeout(() => this.refresh(), 200);
    });
    this.element = h(
      "div",
      { class: "view" },
      h("div", { class: "bar", role: "search" }, this.field),
      this.results,
    );
    if (!this.field.value) queueMicrotask(() => this.field.focus());
  }

  async reload() {
    const text = this.field.value.trim();
    changeParams({ q: text });
    if (text.length < 2)
      return fill(this.results, h("p", { class: "empty" }, "Type at least two characters."));
    const { project } = this.context;
    const [rows, exchanges] = await Promise.all([
      get(ofProject(project, "/search"), { text }),
      get(ofProject(project, "/journal"), { text, brief: true, limit: 1 }),
    ]);
    const requests = h(
      "a",
      { href: addressOf(project, "journal", { text }) },
      `${countOf(exchanges.total, "request")} ${exchanges.total === 1 ? "mentions" : "mention"} it`,
    );
    fill(
      this.results,
      h(
        "p",
        {},
        `${countOf(rows.total, "row")} ${rows.total === 1 ? "has" : "have"} it. `,
        requests,
        ".",
        " ",
        ON_CHAIN.test(text) &&
          h("a", { href: addressOf(project, "chain", { q: text }) }, "Look it up on a chain"),
      ),
      rows.total > 0 && this.table(rows.data),
    );
  }

  /** @param {any[]} found */
  table(found) {
    const { project } = this.context;
    const rows = found.map((each) => [
      each.table,
      h(
        "a",
        { class: "mono", href: addressOf(project, "tables", { table: each.table, row: each.id }) },
        each.id,
      ),
      each.members.join(", "),
    ]);
    return table(["Table", "Row", "Found in"], rows);
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
