/** The timeline: what happened to the project, to step through, compare, go back to and fork from. */

import { get, ofProject } from "./api.js";
import { button, h } from "./dom.js";
import { showMoment } from "./moment.js";
import { momentRow } from "./moment_row.js";
import { problemLine } from "./problem.js";
import { changeParams } from "./route.js";
import { VirtualList } from "./virtual.js";

const HEIGHT = 30;
const BATCH = 100;

export class TimelineView {
  /** @param {import("./main.js").Context} context */
  constructor(context) {
    this.context = context;
    this.path = ofProject(context.project, "/timeline");
    this.params = context.params;
    this.known = "";
    this.generation = -1;
    /** Whether the list is being loaded, whether more has come meanwhile, and whether all is another. */
    this.busy = this.stale = this.isReplaced = false;
    this.list = new VirtualList({
      label: "Moments, newest first",
      height: HEIGHT,
      render: momentRow,
      load: (skip, limit) => this.fetch({ skip, limit }),
      keyOf: (row) => row.moment,
      onChoose: (row) => void this.open(row),
    });
    this.total = h("span", { class: "dim", role: "status" });
    this.empty = h("p", { class: "empty", hidden: true }, "Nothing has happened yet.");
    this.problem = problemLine();
    this.detail = h("section", { class: "detail", hidden: true, "aria-label": "Moment", tabindex: -1 });
    this.split = h(
      "div",
      { class: "split" },
      h("div", { class: "list" }, this.empty, this.list.element),
      this.detail,
    );
    this.element = h("div", { class: "view" }, this.toolbar(), this.split);
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
    const known = `${event.generation} ${event.version} ${event.first} ${event.last}`;
    if (known === this.known) return;
    this.isReplaced ||= event.generation !== this.generation || !event.first;
    this.known = known;
    this.generation = event.generation;
    void this.refresh();
  }

  /** Load what is new, one request at a time however fast it comes. */
  async refresh() {
    this.stale = true;
    if (this.busy) return;
    this.busy = true;
    try {
      while (this.stale) {
        this.stale = false;
        await (this.isReplaced ? this.reload() : this.catchUp());
      }
    } finally {
      this.busy = false;
    }
  }

  async reload() {
    this.isReplaced = false;
    const { data, total } = await this.fetch({ limit: BATCH });
    this.list.reset(data, total);
    this.describe();
    const top = Number(this.params.get("top"));
    this.params.delete("top");
    if (top) this.list.scrollTo(total - top);
    const moment = this.params.get("moment");
    if (moment) await this.find(moment);
  }

  async catchUp() {
    const newest = this.list.rows[0];
    if (!newest) return this.reload();
    const { data, total } = await this.fetch({ after: newest.moment, limit: BATCH });
    // After a burst the list may hold nothing of what is shown.
    if (total > BATCH) return this.reload();
    this.list.prepend(data, total);
    this.describe();
  }

  describe() {
    const total = this.list.rows.length;
    this.total.textContent = `${total.toLocaleString("en")} ${total === 1 ? "moment" : "moments"}`;
    this.empty.hidden = total > 0;
    this.list.element.hidden = total === 0;
  }

  /** Open the moment that the address names. @param {string} moment */
  async find(moment) {
    const newer = await this.fetch({ after: moment, limit: 1 });
    if (newer.total >= this.list.rows.length) return this.describe();
    const place = newer.total;
    const { data } = await this.fetch({ skip: place, limit: 1 });
    this.list.choose(moment);
    this.list.reveal(place);
    await this.open(data[0]);
  }

  /** @param {any} row */
  async open(row) {
    this.row = row;
    changeParams({ moment: row.moment }, { push: this.detail.hidden && this.params.get("moment") === null });
    this.params.set("moment", row.moment);
    this.split.classList.add("open");
    this.detail.hidden = false;
    await showMoment(this.detail, this.context, row, {
      marked: this.params.get("from"),
      mark: (moment) => this.mark(moment),
      close: () => this.close(),
      problem: this.problem,
    });
  }

  /** Mark the moment that others are compared with; null for none. @param {string | null} moment */
  mark(moment) {
    changeParams({ from: moment });
    if (moment) this.params.set("from", moment);
    else this.params.delete("from");
    if (this.row) void this.open(this.row);
  }

  close() {
    this.detail.hidden = true;
    this.split.classList.remove("open");
    changeParams({ moment: null });
    this.params.delete("moment");
    this.list.element.focus({ preventScroll: true });
    this.list.schedule();
  }

  /** @param {string} key */
  key(key) {
    const isOpen = !this.detail.hidden;
    if (key === "j" || key === "k") void this.list.move(key === "j" ? 1 : -1);
    else if (key === "m" && isOpen && this.row) this.mark(this.row.moment);
    else if (key === "Enter" && this.list.chosen && this.row) void this.open(this.row);
    else if (key === "Escape" && isOpen) this.close();
    else return false;
    return true;
  }

  dispose() {
    this.list.dispose();
  }
}
