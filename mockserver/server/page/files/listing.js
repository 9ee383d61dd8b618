/**
 * A long list beside what is opened of it: how it is shown, its part of the address, and its keys.
 *
 * @typedef {{
 *   param: string,
 *   label: string,
 *   open: (key: string) => void,
 *   head?: HTMLElement,
 *   empty?: string,
 *   place?: () => Record<string, unknown>,
 * }} Options `param` names the chosen row in the address, with `place` before it; `label` is that of what is
 *   opened, `open` opens a row by its key, `head` is above the rows, and `empty` is shown while there are none
 */

import { h } from "./dom.js";
import { changeParams, setParams } from "./route.js";

export class Listing {
  /** @param {import("./virtual.js").VirtualList} list @param {URLSearchParams} params @param {Options} options */
  constructor(list, params, options) {
    this.list = list;
    this.params = params;
    this.options = options;
    this.empty = h("div", { class: "empty", hidden: true }, options.empty);
    /** What is said below the last row. */
    this.end = h("p", { class: "end dim", hidden: true });
    this.detail = h("section", { class: "detail", hidden: true, "aria-label": options.label, tabindex: -1 });
    this.element = h(
      "div",
      { class: "split" },
      h("div", { class: "list" }, options.head, this.empty, list.element, this.end),
      this.detail,
    );
  }

  /** Whether a row is opened. */
  get isOpen() {
    return !this.detail.hidden;
  }

  /**
   * Change parameters, those of the view and those of the address.
   *
   * @param {Record<string, unknown>} changes
   * @param {"stay" | "open" | "close"} [how]
   */
  change(changes, how) {
    setParams(this.params, changes);
    changeParams(changes, how);
  }

  /** Show the list, or that it is empty. What it has no more is closed. @param {boolean} isEmpty @param {boolean} [isFiltered] */
  showEmpty(isEmpty, isFiltered = false) {
    this.empty.hidden = !isEmpty;
    if (this.options.head) this.options.head.hidden = isEmpty;
    this.list.element.hidden = isEmpty;
    const { rows, place } = this.list;
    if (this.isOpen && !isFiltered && place < 0 && !rows.includes(undefined)) this.hide();
  }

  /** What the address says of the row on top, once; 0 if it says nothing. */
  takeTop() {
    const top = Number(this.params.get("top"));
    this.params.delete("top");
    return top;
  }

  /** Scroll to where the address says, once: to as many rows before the oldest. */
  scrollToTop() {
    const top = this.takeTop();
    if (top) this.list.scrollTo(this.list.rows.length - top);
  }

  /** Choose a row, and open it if it is meant to be, or if another one is open. @param {string} key @param {boolean} opened */
  choose(key, opened) {
    const isOpened = opened || this.isOpen;
    const how = isOpened && !this.isOpen ? "open" : "stay";
    this.change({ ...this.options.place?.(), [this.options.param]: key }, how);
    this.list.choose(key);
    if (isOpened) this.options.open(key);
  }

  /** Make room for what is opened. */
  show() {
    this.detail.hidden = false;
    this.element.classList.add("open");
  }

  hide() {
    this.detail.hidden = true;
    this.element.classList.remove("open");
    this.change({ [this.options.param]: null }, "close");
  }

  /** Close what is opened, and return to the list. */
  close() {
    this.hide();
    this.list.element.focus({ preventScroll: true });
    this.list.schedule();
  }

  /** @param {string} key @returns {boolean} whether it meant something here */
  key(key) {
    if (key === "j" || key === "k") void this.list.move(key === "j" ? 1 : -1);
    else if (key === "Enter" && this.list.chosen) this.choose(this.list.chosen, true);
    else if (key === "Escape" && this.isOpen) this.close();
    else return false;
    return true;
  }
}
