/** The rows of a project, table by table, with links between their ids; a transaction and a policy as pictures. */

import { get, ofProject } from "./api.js";
import { button, fill, h } from "./dom.js";
import { Listing } from "./listing.js";
import { addressOf } from "./route.js";
import { showRow } from "./row.js";
import { countOf } from "./show.js";
import { loadUnits } from "./units.js";
import { cellOf } from "./values.js";
import { View } from "./view.js";
import { VirtualList } from "./virtual.js";

const BATCH = 100;
const MOST_COLUMNS = 5;
const FIRST = [
  "status",
  "state",
  "name",
  "email",
  "address",
  "to",
  "kind",
  "provider",
  "chain_id",
  "account_id",
  "user_id",
  "created_ms",
];

export class TablesView extends View {
  /** @param {import("./main.js").Context} context */
  constructor(context) {
    super();
    this.context = context;
    this.params = context.params;
    this.table = context.params.get("table") ?? "";
    /** An earlier moment, at which rows are looked at. */
    this.at = context.params.get("at");
    /** @type {string[]} */
    this.columns = [];
    this.head = h("div", { class: "columns cells", "aria-hidden": "true" });
    this.list = new VirtualList({
      label: "Rows, newest first",
      kind: "rows",
      render: (row) => this.row(row),
      load: (skip, limit) => this.fetch(skip, limit),
      keyOf: (row) => row.id,
      onChoose: (row, opened) => this.listing.choose(row.id, opened),
    });
    this.listing = new Listing(this.list, this.params, {
      param: "row",
      label: "Row",
      open: (key) => void this.open(key),
      empty: "This table has no rows.",
      head: this.head,
      place: () => ({ table: this.table }),
    });
    this.names = h("nav", { class: "names", "aria-label": "Tables" });
    this.listing.element.prepend(this.names);
    this.total = h("span", { class: "dim", role: "status" });
    this.search = h("input", {
      type: "search",
      class: "grow",
      placeholder: "Text in this table",
      "aria-label": "Text",
    });
    this.search.value = this.params.get("text") ?? "";
    this.search.addEventListener("change", () => this.filter());
    this.element = h(
      "div",
      { class: "view" },
      h("div", { class: "bar", role: "search" }, this.search, this.earlier(), this.total),
      this.listing.element,
    );
  }

  /** Which earlier moment is shown, if one is. */
  earlier() {
    if (!this.at) return null;
    const { project } = this.context;
    return h(
      "span",
      { class: "badge warn", role: "status" },
      "As it was after ",
      h("a", { href: addressOf(project, "timeline", { moment: this.at }) }, this.at),
      " · ",
      h("a", { href: addressOf(project, "tables", { table: this.table }) }, "Show now"),
    );
  }

  filter() {
    this.listing.change({ text: this.search.value, top: null });
    void this.refresh();
  }

  /** @param {number} skip @param {number} limit */
  fetch(skip, limit) {
    const path = ofProject(this.context.project, `/tables/${encodeURIComponent(this.table)}`);
    return get(path, { at: this.at, order: "desc", skip, limit, text: this.params.get("text") });
  }

  /** @param {any} event */
  stateOf(event) {
    return this.at ?? super.stateOf(event);
  }

  async reload() {
    const { project } = this.context;
    const [{ data: tables }] = await Promise.all([
      get(ofProject(project, "/tables"), { at: this.at, limit: 1000 }),
      loadUnits(project),
    ]);
    const isOpen = this.names.classList.contains("open");
    const filled = tables.filter((/** @type {any} */ each) => each.rows > 0 || each.name === this.table);
    this.table ||= (
      filled.find((/** @type {any} */ each) => each.name === "onchain.transactions") ??
      filled[0] ??
      tables[0]
    ).name;
    const links = filled.map((/** @type {any} */ each) => this.name(each));
    // A phone has room for one name.
    const toggle = () => toggler.setAttribute("aria-expanded", String(this.names.classList.toggle("open")));
    const toggler = button(`${this.table} ▾`, toggle, { "aria-expanded": String(isOpen) });
    fill(this.names, toggler, links);
    const { data, total } = await this.fetch(0, BATCH);
    this.columns = columnsOf(data);
    this.list.element.parentElement?.style.setProperty("--columns", String(this.columns.length));
    fill(
      this.head,
      h("span", {}, "id"),
      this.columns.map((name) => h("span", {}, name)),
    );
    this.list.reset(data, total);
    this.total.textContent = countOf(total, "row");
    this.listing.showEmpty(total === 0);
    this.listing.scrollToTop();
    const id = this.params.get("row");
    if (id) await this.open(id);
  }

  /** @param {{ name: string, rows: number }} table */
  name(table) {
    const address = addressOf(this.context.project, "tables", { table: table.name, at: this.at });
    return h(
      "a",
      { href: address, "aria-current": table.name === this.table && "page" },
      table.name,
      h("span", { class: "count" }, table.rows.toLocaleString("en")),
    );
  }

  /** @param {any} row */
  row(row) {
    const cells = ["id", ...this.columns].map((name) => h("span", {}, cellOf(this.table, row.row, name)));
    return h("div", { class: "cells mono" }, cells);
  }

  /** @param {string} id */
  async open(id) {
    this.list.choose(id);
    if (this.list.place >= 0) this.list.reveal(this.list.place);
    this.listing.show();
    const place = { project: this.context.project, table: this.table, id, at: this.at };
    await showRow(this.listing.detail, place, () => this.listing.close());
  }

  /** @param {string} key */
  key(key) {
    if (key !== "/") return this.listing.key(key);
    this.search.focus();
    return true;
  }

  dispose() {
    this.list.dispose();
  }
}

/** The members that tell rows apart: short values, those first that are looked for most. @param {any[]} rows */
function columnsOf(rows) {
  const row = rows[0]?.row ?? {};
  const plain = Object.keys(row).filter(
    (name) => name !== "id" && rows.some((each) => isPlain(each.row[name])),
  );
  const rank = (/** @type {string} */ name) => FIRST.indexOf(name) + 1 || FIRST.length + 1;
  return plain.sort((a, b) => rank(a) - rank(b)).slice(0, MOST_COLUMNS);
}

/** @param {unknown} value */
function isPlain(value) {
  return (
    typeof value === "number" ||
    typeof value === "boolean" ||
    (typeof value === "string" && value.length < 100)
  );
}
