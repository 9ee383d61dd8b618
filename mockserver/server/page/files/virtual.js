/**
 * A long list of which only what is seen is in the document. Rows are loaded when they come into view.
 *
 * @typedef {{
 *   label: string,
 *   kind: string,
 *   render: (row: any) => HTMLElement,
 *   load: (skip: number, limit: number) => Promise<{ data: any[], total: number } | null>,
 *   keyOf: (row: any) => string,
 *   onChoose: (row: any, opened: boolean) => void,
 *   topOf?: (row: any) => number,
 * }} Options
 */

import { h } from "./dom.js";
import { changeParams } from "./route.js";

const PAGE = 100;
const MARGIN = 8;
const SETTLED_MS = 200;

let lists = 0;

export class VirtualList {
  /** @param {Options} options */
  constructor(options) {
    this.options = options;
    this.id = `list-${++lists}`;
    /** By place; those that are not loaded are missing. @type {any[]} */
    this.rows = [];
    /** @type {Map<string, HTMLElement>} */
    this.shown = new Map();
    /** @type {Set<number>} */
    this.loading = new Set();
    /** @type {string | null} */
    this.chosen = null;
    this.space = h("div", { class: "vspace", role: "presentation" });
    this.element = h(
      "div",
      { class: `vlist ${options.kind}`, role: "listbox", tabindex: 0, "aria-label": options.label },
      this.space,
    );
    this.element.addEventListener("scroll", () => this.scrolled(), { passive: true });
    this.resized = new ResizeObserver(() => {
      this.measured = 0;
      this.paint();
    });
    /** The height of a row as far as it is known. */
    this.measured = 0;
    this.resized.observe(this.element);
    this.scheduled = false;
    this.loads = 0;
    /** Whether the row on top is still being loaded, and is to be put into the address then. */
    this.awaitsTop = false;
  }

  /** The height of a row, which the style sheets say. */
  get height() {
    if (!this.measured) {
      const style = getComputedStyle(this.element);
      this.measured = Number.parseFloat(style.getPropertyValue("--row-height")) || 0;
    }
    return this.measured || 30;
  }

  /** Show other rows: what was loaded is forgotten. @param {any[]} rows @param {number} total */
  reset(rows, total) {
    this.loads += 1;
    this.loading.clear();
    this.rows = rows.slice();
    this.rows.length = total;
    for (const element of this.shown.values()) element.remove();
    this.shown.clear();
    this.paint();
  }

  /** Add rows at the top, `total` of them, of which the first ones are given. @param {any[]} rows @param {number} total */
  prepend(rows, total) {
    if (!total) return;
    const added = rows.slice(0, total);
    added.length = total;
    this.loads += 1;
    this.loading.clear();
    this.rows = added.concat(this.rows);
    const { scrollTop } = this.element;
    this.resize();
    // What is being read stays where it is; at the top the list follows.
    if (scrollTop > 0) this.element.scrollTop = scrollTop + total * this.height;
    this.paint(new Set(rows.map(this.options.keyOf)));
  }

  /** Shorten the list. @param {number} total */
  cut(total) {
    if (this.rows.length > total) {
      this.rows.length = total;
      this.paint();
    }
  }

  /** @param {string | null} key */
  choose(key) {
    this.chosen = key;
    this.paint();
  }

  /** The place of the chosen row, or -1. */
  get place() {
    return this.chosen === null
      ? -1
      : this.rows.findIndex((row) => row !== undefined && this.options.keyOf(row) === this.chosen);
  }

  /** Move the choice by some rows; the first move chooses what is at the top. @param {number} by */
  async move(by) {
    if (!this.rows.length) return;
    const from = this.place;
    const top = Math.ceil(this.element.scrollTop / this.height);
    const to = Math.min(Math.max(from < 0 ? top : from + by, 0), this.rows.length - 1);
    if (this.rows[to] === undefined) await this.loadPage(Math.floor(to / PAGE));
    const row = this.rows[to];
    if (row === undefined) return;
    this.chosen = this.options.keyOf(row);
    this.reveal(to);
    this.options.onChoose(row, false);
  }

  /** Scroll so that a place is seen. @param {number} place */
  reveal(place) {
    const { height } = this;
    const { scrollTop, clientHeight } = this.element;
    const top = place * height;
    if (top < scrollTop) this.element.scrollTop = top;
    else if (top + height > scrollTop + clientHeight) this.element.scrollTop = top + height - clientHeight;
    this.paint();
  }

  scrolled() {
    this.schedule();
    clearTimeout(this.settling);
    this.settling = setTimeout(() => this.keepTop(), SETTLED_MS);
  }

  /** Put the row on top into the address: its own number, or how many rows there are from it to the oldest. */
  keepTop() {
    const place = Math.floor(this.element.scrollTop / this.height);
    const row = this.rows[place];
    this.awaitsTop = row === undefined;
    if (row === undefined || !this.element.clientHeight) return;
    const top = this.options.topOf?.(row) ?? this.rows.length - place;
    changeParams({ top: place ? top : null });
  }

  /** Scroll so that a place is on top. @param {number} place */
  scrollTo(place) {
    this.element.scrollTop = place * this.height;
    this.paint();
  }

  schedule() {
    if (this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame(() => {
      this.scheduled = false;
      this.paint();
    });
  }

  resize() {
    this.space.style.height = `${this.rows.length * this.height}px`;
  }

  /** Put what is seen into the document, and take out the rest. @param {Set<string>} [fresh] keys of new rows */
  paint(fresh) {
    this.resize();
    const { height } = this;
    const { keyOf } = this.options;
    const first = Math.max(0, Math.floor(this.element.scrollTop / height) - MARGIN);
    const end = Math.min(
      this.rows.length,
      Math.ceil((this.element.scrollTop + this.element.clientHeight) / height) + MARGIN,
    );
    const wanted = /** @type {Map<string, number>} */ (new Map());
    for (let place = first; place < end; place += 1) {
      const row = this.rows[place];
      if (row === undefined) void this.loadPage(Math.floor(place / PAGE));
      else wanted.set(keyOf(row), place);
    }
    for (const [key, element] of this.shown) {
      if (wanted.has(key)) continue;
      element.remove();
      this.shown.delete(key);
    }
    // In the document in the order of the list, for those who do not see where a row is drawn.
    let next = this.space.firstElementChild;
    for (const [key, place] of wanted) {
      const element = this.put(key, this.rows[place], place);
      element.classList.toggle("fresh", fresh?.has(key) ?? false);
      if (element === next) next = element.nextElementSibling;
      else this.space.insertBefore(element, next);
    }
    const active = this.chosen !== null && this.shown.get(this.chosen);
    if (active) this.element.setAttribute("aria-activedescendant", active.id);
    else this.element.removeAttribute("aria-activedescendant");
  }

  /** @param {string} key @param {any} row @param {number} place */
  put(key, row, place) {
    let element = this.shown.get(key);
    if (!element) {
      element = this.options.render(row);
      element.classList.add("row");
      element.id = `${this.id}-${key}`;
      element.setAttribute("role", "option");
      element.addEventListener("click", () => {
        this.chosen = key;
        this.paint();
        this.options.onChoose(row, true);
      });
      this.shown.set(key, element);
    }
    element.style.transform = `translateY(${place * this.height}px)`;
    element.setAttribute("aria-posinset", String(place + 1));
    element.setAttribute("aria-setsize", String(this.rows.length));
    element.setAttribute("aria-selected", String(key === this.chosen));
    return element;
  }

  /** @param {number} page */
  async loadPage(page) {
    if (this.loading.has(page)) return;
    this.loading.add(page);
    const loads = this.loads;
    const found = await this.options.load(page * PAGE, PAGE);
    if (loads !== this.loads || !found) return;
    this.rows.length = found.total;
    found.data.forEach((row, place) => (this.rows[page * PAGE + place] = row));
    this.paint();
    if (this.awaitsTop) this.keepTop();
  }

  dispose() {
    clearTimeout(this.settling);
    this.resized.disconnect();
  }
}
