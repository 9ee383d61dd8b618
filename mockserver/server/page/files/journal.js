/** The journal: every exchange as it happens, with filters, and one of them opened. */

import { Refused, get, ofProject } from "./api.js";
import { button, fill, h } from "./dom.js";
import { showExchange } from "./exchange.js";
import { exchangeRow, gridHead } from "./exchange_row.js";
import { offerFirstRequest } from "./first_request.js";
import { FILTERS, JournalFields } from "./journal_fields.js";
import { Listing } from "./listing.js";
import { countOf } from "./show.js";
import { VirtualList } from "./virtual.js";

const BATCH = 100;
const MEBIBYTE = 2 ** 20;

export class JournalView {
  /** @param {import("./main.js").Context} context */
  constructor(context) {
    this.context = context;
    this.path = ofProject(context.project, "/journal");
    this.params = context.params;
    /** The number up to which the list has been loaded. */
    this.until = 0;
    this.generation = "";
    this.paused = false;
    this.skipped = 0;
    this.pending = 0;
    /** @type {any} */
    this.event = null;
    /** What is shown instead of rows, and what the server says of how many a journal keeps. */
    this.offer = "";
    /** @type {any} */
    this.bounds = null;
    this.busy = false;
    /** Counts the loads of the whole list; `loaded` is the one that is shown. */
    this.loads = this.loaded = 0;
    this.list = new VirtualList({
      label: "Exchanges, newest first",
      kind: "exchanges",
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
      head: gridHead(),
    });
    this.tail = h("span", { class: "dim", role: "status" });
    this.problem = h("span", { class: "badge bad", hidden: true, role: "alert" });
    this.element = h("div", { class: "view journal" }, this.toolbar(), this.listing.element);
  }

  toolbar() {
    this.fields = new JournalFields(this.params, (changes) => this.filter(changes));
    this.pauseButton = button("Pause", () => this.pause(!this.paused), {
      "aria-pressed": "false",
      title: "Pause (p)",
    });
    const last = [this.pauseButton, this.problem, this.tail];
    return h("div", { class: "bar", role: "search" }, ...this.fields.elements, ...last);
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
    const { first, exchanges } = this.event;
    this.list.cut(exchanges);
    const { rows } = this.list;
    let end = rows.length;
    while (end > 0 && rows[end - 1] !== undefined && rows[end - 1].n < first) end -= 1;
    this.list.cut(end);
  }

  describe() {
    const total = this.list.rows.length;
    const parts = [countOf(total, "exchange")];
    if (this.pending) parts.push(`${this.pending.toLocaleString("en")} new while paused`);
    if (this.skipped) parts.push(`${this.skipped.toLocaleString("en")} skipped, scroll to load them`);
    this.tail.textContent = parts.join(" · ");
    // An exchange is open also where no filter passes it.
    this.listing.showEmpty(total === 0, true);
    void this.describeEnds(total === 0);
  }

  /** Say what there is instead of rows, and what there was below the last one. @param {boolean} isEmpty */
  async describeEnds(isEmpty) {
    const { empty, end } = this.listing;
    const isFiltered = Object.values(this.filters).some(Boolean);
    const dropped = this.event?.dropped ?? 0;
    const offer = !isEmpty || !this.event ? "" : isFiltered ? "filters" : dropped ? "dropped" : "first";
    if (offer !== this.offer) {
      this.offer = offer;
      if (offer === "filters") fill(empty, "No exchange passes these filters.");
      if (offer === "dropped") fill(empty, "All exchanges were dropped.");
      if (offer === "first") await offerFirstRequest(empty, this.context.project);
    }
    end.hidden = !dropped;
    if (!dropped) return;
    this.bounds ??= (await get("health")).journal;
    const { events, bytes, server_bytes: most } = this.bounds;
    end.textContent =
      `${countOf(dropped, "older exchange")} ${dropped === 1 ? "was" : "were"} dropped: ` +
      `a project keeps the latest ${events.toLocaleString("en")} events, of ${bytes / MEBIBYTE} MiB at most, ` +
      `and all projects ${Math.round(most / MEBIBYTE)} MiB (--journal-bytes).`;
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
    if (key === "/") this.fields?.search.focus();
    else if (key === "p") this.pause(!this.paused);
    else return this.listing.key(key);
    return true;
  }

  dispose() {
    this.fields?.dispose();
    this.list.dispose();
  }
}
