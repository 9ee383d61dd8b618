/** The journal: every exchange as it happens, with filters, and one of them opened. */

import { Refused, get, ofProject } from "./api.js";
import { button, fill, h } from "./dom.js";
import { showExchange } from "./exchange.js";
import { exchangeRow } from "./exchange_row.js";
import { journalFields } from "./journal_fields.js";
import { Listing } from "./listing.js";
import { VirtualList } from "./virtual.js";

const HEIGHT = 30;
const BATCH = 100;
const FILTERS = ["text", "status", "operation", "rule", "failed", "faulted"];

export class JournalView {
  /** @param {import("./main.js").Context} context */
  constructor(context) {
    this.context = context;
    this.path = ofProject(context.project, "/journal");
    this.params = context.params;
    /** The number up to which the list has been loaded. */
    this.until = 0;
    this.generation = -1;
    this.paused = false;
    this.skipped = 0;
    this.pending = 0;
    /** @type {any} */
    this.event = null;
    this.busy = false;
    /** Counts the loads of the whole list; `loaded` is the one that is shown. */
    this.loads = this.loaded = 0;
    this.list = new VirtualList({
      label: "Exchanges, newest first",
      height: HEIGHT,
      render: exchangeRow,
      load: (skip, limit) => this.fetch({ until: this.until, skip, limit }),
      keyOf: (row) => String(row.n),
      onChoose: (row, opened) => this.listing.choose(String(row.n), opened),
      topOf: (row) => row.n,
    });
    this.listing = new Listing(this.list, this.params, {
      param: "n",
      label: "Exchange",
      open: (key) => void this.open(Number(key)),
    });
    this.tail = h("span", { class: "dim", role: "status" });
    this.problem = h("span", { class: "badge bad", hidden: true, role: "alert" });
    this.element = h("div", { class: "view journal" }, this.toolbar(), this.listing.element);
  }

  toolbar() {
    const fields = journalFields(this.params, (changes) => this.filter(changes));
    this.search = fields[0];
    const typed = this.search;
    typed.addEventListener("input", () => this.typed(typed));
    const toggles = ["failed", "faulted"].map((name) => this.toggle(name));
    this.pauseButton = button("Pause", () => this.pause(!this.paused), {
      "aria-pressed": "false",
      title: "Pause (p)",
    });
    return h(
      "div",
      { class: "bar", role: "search" },
      fields,
      toggles,
      this.pauseButton,
      this.problem,
      this.tail,
    );
  }

  /** @param {string} name */
  toggle(name) {
    const element = button(
      name[0].toUpperCase() + name.slice(1),
      () => {
        const on = element.getAttribute("aria-pressed") !== "true";
        element.setAttribute("aria-pressed", String(on));
        this.filter({ [name]: on });
      },
      { "aria-pressed": String(this.params.get(name) === "true") },
    );
    return element;
  }

  /** Search a moment after the last key. @param {HTMLInputElement} field */
  typed(field) {
    clearTimeout(this.typing);
    this.typing = setTimeout(() => this.filter({ text: field.value }), 200);
  }

  /** @param {Record<string, unknown>} changes */
  filter(changes) {
    this.listing.change({ ...changes, top: null });
    void this.reload();
  }

  get filters() {
    return Object.fromEntries(FILTERS.map((name) => [name, this.params.get(name)]));
  }

  /** @param {Record<string, unknown>} query @returns {Promise<{ data: any[], total: number } | null>} */
  async fetch(query) {
    try {
      const found = await get(this.path, { brief: true, order: "desc", ...this.filters, ...query });
      this.problem.hidden = true;
      return found;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.problem.textContent = error.message;
      this.problem.hidden = false;
      return null;
    }
  }

  /** @param {any} event */
  update(event) {
    this.event = event;
    if (event.generation !== this.generation) {
      this.generation = event.generation;
      void this.reload();
    } else {
      void this.catchUp();
    }
  }

  async reload() {
    const load = ++this.loads;
    this.until = this.event?.last ?? 0;
    this.counted = this.event?.calls ?? 0;
    this.skipped = this.pending = 0;
    const found = await this.fetch({ until: this.until, limit: BATCH });
    // The filters may have changed meanwhile.
    if (load !== this.loads) return;
    this.list.element.scrollTop = 0;
    this.list.reset(found?.data ?? [], found?.total ?? 0);
    this.loaded = load;
    this.describe();
    await this.scrollToTop();
    const n = Number(this.params.get("n"));
    if (n) await this.open(n);
    await this.catchUp();
  }

  /** Load what is new, one request at a time however fast it comes. */
  async catchUp() {
    if (this.event.last < this.until || (this.event.first === 0 && this.list.rows.length))
      return this.reload();
    if (this.paused) {
      this.pending = this.event.calls - this.counted;
      return this.describe();
    }
    if (this.busy || this.loaded !== this.loads) return;
    this.busy = true;
    const { loads } = this;
    try {
      while (!this.paused && this.event.last > this.until) {
        const { last, calls } = this.event;
        const found = await this.fetch({ since: this.until, until: last, limit: BATCH });
        if (!found || loads !== this.loads) break;
        this.until = last;
        this.counted = calls;
        this.skipped += found.total - found.data.length;
        this.list.prepend(found.data, found.total);
        this.evict();
        this.describe();
      }
    } finally {
      this.busy = false;
    }
  }

  /** Forget what the journal holds no more: it is at the end. */
  evict() {
    const { first, last } = this.event;
    this.list.cut(last - first + 1);
    const { rows } = this.list;
    let end = rows.length;
    while (end > 0 && rows[end - 1] !== undefined && rows[end - 1].n < first) end -= 1;
    this.list.cut(end);
  }

  describe() {
    const total = this.list.rows.length;
    const parts = [`${total.toLocaleString("en")} ${total === 1 ? "exchange" : "exchanges"}`];
    if (this.pending) parts.push(`${this.pending.toLocaleString("en")} new while paused`);
    if (this.skipped) parts.push(`${this.skipped.toLocaleString("en")} skipped, scroll to load them`);
    this.tail.textContent = parts.join(" · ");
    const filtered = Object.values(this.filters).some(Boolean);
    this.listing.showEmpty(total === 0);
    fill(
      this.listing.empty,
      filtered ? "No exchange passes these filters." : "No requests yet. They appear here as they arrive.",
    );
  }

  /** @param {boolean} on */
  pause(on) {
    this.paused = on;
    this.pauseButton?.setAttribute("aria-pressed", String(on));
    if (this.pauseButton) this.pauseButton.textContent = on ? "Resume" : "Pause";
    this.pending = 0;
    if (!on && this.event) void this.catchUp().then(() => this.describe());
    this.describe();
  }

  /** The place of an exchange that is not loaded: as many are newer. @param {number} n */
  async placeOf(n) {
    const newer = await this.fetch({ since: n, until: this.until, limit: 1 });
    return newer && Math.min(newer.total, Math.max(0, this.list.rows.length - 1));
  }

  /** Scroll to where the address says, once. */
  async scrollToTop() {
    const top = this.listing.takeTop();
    const place = top ? await this.placeOf(top) : null;
    if (place) this.list.scrollTo(place);
  }

  /** Open an exchange, and find its row. @param {number} n */
  async open(n) {
    this.list.choose(String(n));
    this.listing.show();
    if (this.list.place < 0) {
      const place = await this.placeOf(n);
      if (place !== null) this.list.reveal(place);
    } else {
      this.list.reveal(this.list.place);
    }
    await showExchange(this.listing.detail, this.context, n, () => this.listing.close());
  }

  /** @param {string} key @returns {boolean} whether it meant something here */
  key(key) {
    if (key === "/") this.search?.focus();
    else if (key === "p") this.pause(!this.paused);
    else return this.listing.key(key);
    return true;
  }

  dispose() {
    clearTimeout(this.typing);
    this.list.dispose();
  }
}
