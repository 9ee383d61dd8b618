/** Recordings: that of the server to start, stop and download, and a file of one to look into. */

import { badge, button, fill, h } from "./dom.js";
import { headOf, payloads } from "./exchange.js";
import { exchangeRow, gridHead } from "./exchange_row.js";
import { Listing } from "./listing.js";
import { problemLine } from "./problem.js";
import { isOfLine, isWithheld, loadExchange, loadRows } from "./recorded.js";
import { Recorder } from "./recorder.js";
import { BadFile, RecordingFile } from "./recording_file.js";
import { View } from "./view.js";
import { VirtualList } from "./virtual.js";

/** The file that was opened last, also when another view was looked at meanwhile. @type {RecordingFile | null} */
let opened = null;

const EMPTY =
  "Open a recording's file, or drop it here. It stays in the browser: " +
  "only the exchanges that you look at are sent to the server, which masks their secrets.";

export class RecordingsView extends View {
  /** @param {import("./main.js").Context} context */
  constructor(context) {
    super();
    this.params = context.params;
    this.recorder = new Recorder();
    this.reading = new AbortController();
    /** @type {import("./recording_file.js").Entry[]} */
    this.entries = [];
    this.list = new VirtualList({
      label: "Exchanges of the recording, oldest first",
      kind: "exchanges",
      render: recordedRow,
      load: (skip, limit) => this.fetch(skip, limit),
      keyOf: (row) => String(row.n),
      onChoose: (row, isOpened) => this.listing.choose(String(row.n), isOpened),
    });
    this.listing = new Listing(this.list, this.params, {
      param: "n",
      label: "Exchange",
      open: (key) => void this.openExchange(Number(key)),
      empty: EMPTY,
      head: gridHead(),
    });
    this.problem = problemLine();
    this.about = h("p", { class: "about", role: "status" });
    const about = h("div", { class: "bar" }, this.problem, this.about);
    this.element = h("div", { class: "view" }, this.toolbar(), about, this.listing.element);
    this.element.addEventListener("dragover", (event) => event.preventDefault());
    this.element.addEventListener("drop", (event) => this.drop(event));
    this.show();
  }

  toolbar() {
    this.field = h("input", {
      type: "file",
      accept: ".jsonl",
      "aria-label": "File of a recording",
      hidden: true,
    });
    const { field } = this;
    field.addEventListener("change", () => {
      const file = field.files?.[0];
      if (file) void this.open(file);
      // The same file, chosen again, is read again.
      field.value = "";
    });
    this.failed = button("Failed", () => this.filter(), {
      "aria-pressed": String(this.params.get("failed") === "true"),
    });
    return h(
      "div",
      { class: "bar" },
      button("Open a file", () => field.click(), { title: "Open a file (/)" }),
      field,
      this.failed,
      this.recorder.element,
    );
  }

  /** @param {DragEvent} event */
  drop(event) {
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    if (file) void this.open(file);
  }

  filter() {
    const isOn = this.failed?.getAttribute("aria-pressed") !== "true";
    this.failed?.setAttribute("aria-pressed", String(isOn));
    this.listing.change({ failed: isOn, top: null });
    this.show();
  }

  /** @param {File} file */
  async open(file) {
    this.reading.abort();
    this.reading = new AbortController();
    const { signal } = this.reading;
    const reading = new RecordingFile(file);
    this.problem.hidden = true;
    opened = null;
    this.listing.close();
    this.show();
    try {
      const progress = (/** @type {number} */ share) =>
        fill(this.about, `Reading ${file.name}: ${Math.round(share * 100)} %`);
      await reading.read(progress, signal);
    } catch (error) {
      if (signal.aborted) return;
      const isKnown = error instanceof BadFile || error instanceof DOMException;
      if (!isKnown) throw error;
      this.problem.textContent = `${file.name} cannot be shown. ${error.message}`;
      this.problem.hidden = false;
      return fill(this.about);
    }
    if (signal.aborted) return;
    opened = reading;
    this.show();
    this.list.element.focus({ preventScroll: true });
  }

  /** Show the file that is open, if one is. */
  show() {
    const isFailed = (/** @type {import("./recording_file.js").Entry} */ entry) =>
      entry.status === 0 || entry.status >= 400 || entry.isSpoilt || entry.isRpcError;
    this.entries = opened?.entries ?? [];
    if (this.params.get("failed") === "true") this.entries = this.entries.filter(isFailed);
    this.list.reset([], this.entries.length);
    this.listing.showEmpty(opened === null);
    if (this.failed) this.failed.disabled = opened === null;
    fill(this.about, ...(opened ? describe(opened, this.entries.length) : []));
    this.listing.scrollToTop();
    const n = Number(this.params.get("n"));
    if (n && opened) void this.openExchange(n);
  }

  /** @param {number} skip @param {number} limit */
  async fetch(skip, limit) {
    if (!opened) return null;
    const { entries } = this;
    return { data: await loadRows(opened, entries.slice(skip, skip + limit)), total: entries.length };
  }

  update() {
    void this.refresh();
  }

  reload() {
    return this.recorder.show();
  }

  /** @param {number} n */
  async openExchange(n) {
    const place = this.entries.findIndex((entry) => entry.n === n);
    const entry = this.entries[place];
    const file = opened;
    if (!entry || !file) return;
    this.list.choose(String(n));
    this.list.reveal(place);
    this.listing.show();
    const { detail } = this.listing;
    detail.dataset.n = String(n);
    const close = () => this.listing.close();
    /** @type {(HTMLElement | null)[]} */
    let content = [
      button("Close", close),
      h("p", { class: "empty" }, "The request was withheld: it had a secret."),
    ];
    try {
      if (!isWithheld(entry)) {
        const exchange = await loadExchange(file, entry);
        const unmasked = () => loadExchange(file, entry, true);
        content = [headOf(exchange, unmasked, close), payloads(exchange)];
      }
    } catch (error) {
      if (!isOfLine(error)) throw error;
      content = [
        button("Close", close),
        h("p", { class: "empty" }, `Line ${entry.line}: ${/** @type {Error} */ (error).message}`),
      ];
    }
    if (detail.dataset.n === String(n)) fill(detail, ...content);
  }

  /** @param {string} key */
  key(key) {
    if (key !== "/") return this.listing.key(key);
    this.field?.click();
    return true;
  }

  dispose() {
    this.reading.abort();
    this.list.dispose();
  }
}

/** @param {any} row */
function recordedRow(row) {
  const element = exchangeRow(row);
  if (row.mark) element.querySelector(".marks")?.append(badge(row.mark, "warn"));
  return element;
}

/** What a file is, in a line. @param {RecordingFile} file @param {number} shown */
function describe(file, shown) {
  const { meta } = file;
  const total = file.entries.length;
  const count = shown === total ? total.toLocaleString("en") : `${shown} of ${total.toLocaleString("en")}`;
  const made = `${file.file.name}: ${count} ${total === 1 ? "exchange" : "exchanges"}`;
  const by = typeof meta.mockserver === "string" ? ` · mockserver ${meta.mockserver.slice(0, 40)}` : "";
  const at = typeof meta.at === "string" ? ` · ${meta.at.slice(0, 40)}` : "";
  const withheld = file.withheld ? ` · ${file.withheld} lines withheld` : "";
  const torn = "The last line has no end: the recording ended while it was written. ";
  return [
    h("span", {}, `${made}${at}${by}${withheld} `),
    meta.masked === true && badge("masked", "good"),
    " ",
    file.isTorn && badge(torn, "warn"),
    !file.isTorn && !file.hasEnded && badge("It was not ended in order.", "warn"),
  ];
}
