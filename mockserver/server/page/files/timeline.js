/** The timeline: what happened to the project, to step through, compare, go back to and fork from. */

import { get, ofProject } from "./api.js";
import { button, h } from "./dom.js";
import { Listing } from "./listing.js";
import { showMoment } from "./moment.js";
import { gridHead } from "./exchange_row.js";
import { momentRow } from "./moment_row.js";
import { problemLine } from "./problem.js";
import { countOf } from "./show.js";
import { View } from "./view.js";
import { VirtualList } from "./virtual.js";

const BATCH = 100;

export class TimelineView extends View {
  /** @param {import("./main.js").Context} context */
  constructor(context) {
    super();
    this.context = context;
    this.path = ofProject(context.project, "/timeline");
    this.params = context.params;
    this.generation = "";
    /** The chosen moment. @type {any} */
    this.row = null;
    /** Whether all is another. */
    this.isReplaced = false;
    this.list = new VirtualList({
      label: "Moments, newest first",
      kind: "exchanges",
      render: momentRow,
      load: (skip, limit) => this.fetch({ skip, limit }),
      keyOf: (row) => String(row.n),
      onChoose: (row) => {
        this.row = row;
        this.listing.choose(String(row.n), true);
      },
    });
    this.listing = new Listing(this.list, this.params, {
      param: "moment",
      label: "Moment",
      open: () => void this.open(),
      head: gridHead({ method: "Cause", path: "What happened" }),
      empty: "Nothing has happened yet.",
    });
    this.total = h("span", { class: "dim", role: "status" });
    this.problem = problemLine();
    this.element = h("div", { class: "view" }, this.toolbar(), this.listing.element);
  }

  toolbar() {
    return h(
      "div",
      { class: "bar" },
      button("Earlier", () => void this.list.move(1), { title: "Earlier (j)" }),
      button("Later", () => void this.list.move(-1), { title: "Later (k)" }),
      this.total,
      this.problem,
    );
  }

  /** @param {Record<string, string | number>} query @returns {Promise<{ data: any[], total: number }>} */
  fetch(query) {
    return get(this.path, { order: "desc", ...query });
  }

  /** @param {any} event */
  update(event) {
    this.isReplaced ||= event.generation !== this.generation || !event.first;
    this.generation = event.generation;
    super.update(event);
  }

  /** @param {any} event */
  stateOf(event) {
    return `${super.stateOf(event)} ${event.first} ${event.last}`;
  }

  /** Load what is new. */
  async reload() {
    const newest = this.list.rows[0];
    if (this.isReplaced || !newest) return this.loadAll();
    const { data, total } = await this.fetch({ after: newest.n, limit: BATCH });
    // After a burst the list may hold nothing of what is shown.
    if (total > BATCH) return this.loadAll();
    this.list.prepend(data, total);
    this.describe();
  }

  async loadAll() {
    this.isReplaced = false;
    const { data, total } = await this.fetch({ limit: BATCH });
    this.list.reset(data, total);
    this.describe();
    this.listing.scrollToTop();
    const moment = this.params.get("moment");
    if (moment) await this.find(moment);
  }

  describe() {
    const total = this.list.rows.length;
    this.total.textContent = countOf(total, "moment");
    this.listing.showEmpty(total === 0);
  }

  /** Open the moment that the address names. @param {string} moment */
  async find(moment) {
    const newer = await this.fetch({ after: moment, limit: 1 });
    if (newer.total >= this.list.rows.length) return this.describe();
    const place = newer.total;
    const { data } = await this.fetch({ skip: place, limit: 1 });
    this.list.choose(moment);
    this.list.reveal(place);
    this.row = data[0];
    await this.open();
  }

  /** Open the chosen moment. */
  async open() {
    const { listing, row } = this;
    if (!row) return;
    listing.show();
    await showMoment(listing.detail, this.context, row, {
      marked: this.params.get("from"),
      mark: (moment) => this.mark(moment),
      close: () => listing.close(),
      problem: this.problem,
    });
  }

  /** Mark the moment that others are compared with; null for none. @param {string | null} moment */
  mark(moment) {
    this.listing.change({ from: moment });
    void this.open();
  }

  /** @param {string} key */
  key(key) {
    if (key !== "m" || !this.listing.isOpen || !this.row) return this.listing.key(key);
    this.mark(String(this.row.n));
    return true;
  }

  dispose() {
    this.list.dispose();
  }
}
