/** The fields by which the journal is filtered. */

import { button, h } from "./dom.js";

const STATUSES = [
  ["", "Any status"],
  ["2xx", "2xx"],
  ["3xx", "3xx"],
  ["4xx", "4xx"],
  ["5xx", "5xx"],
  ["0", "No answer"],
];
const TYPED_MS = 200;
export const FILTERS = ["text", "status", "operation", "rule", "failed", "faulted"];

export class JournalFields {
  /**
   * @param {URLSearchParams} params what they show at first
   * @param {(changes: Record<string, unknown>) => void} filter
   */
  constructor(params, filter) {
    this.params = params;
    this.filter = (/** @type {Record<string, unknown>} */ changes) => {
      filter(changes);
      this.count();
    };
    this.search = h("input", {
      type: "search",
      class: "grow",
      placeholder: "Text in path, query, headers or bodies",
      "aria-label": "Text",
      name: "text",
    });
    this.search.addEventListener("input", () => this.typed());
    const status = h("select", { "aria-label": "Status", name: "status" });
    status.append(...STATUSES.map(([value, label]) => h("option", { value }, label)));
    const fields = [this.search, status, short("Operation", "Operation"), short("Rule", "Rule, or a*")];
    for (const field of fields) {
      field.value = params.get(field.name) ?? "";
      field.addEventListener("change", () => this.filter({ [field.name]: field.value }));
    }
    this.others = h(
      "div",
      { class: "others" },
      fields.slice(1),
      this.toggle("failed"),
      this.toggle("faulted"),
    );
    // A phone has room for the search only.
    this.more = button("Filters", () => this.fold(), { class: "more" });
    this.fold();
    this.count();
    /** @type {HTMLElement[]} */
    this.elements = [this.search, this.more, this.others];
  }

  /** Fold the others, or unfold them. */
  fold() {
    const isFolded = this.others.classList.toggle("folded");
    this.more.setAttribute("aria-expanded", String(!isFolded));
  }

  /** How many filters there are that may be folded. */
  count() {
    const count = FILTERS.slice(1).filter((name) => this.params.get(name)).length;
    this.more.textContent = count ? `Filters (${count})` : "Filters";
  }

  /** Search a moment after the last key. */
  typed() {
    clearTimeout(this.typing);
    this.typing = setTimeout(() => this.filter({ text: this.search.value }), TYPED_MS);
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

  dispose() {
    clearTimeout(this.typing);
  }
}

/** @param {string} label @param {string} placeholder */
function short(label, placeholder) {
  const name = label.toLowerCase();
  return h("input", { class: "short", placeholder, "aria-label": label, name, spellcheck: "false" });
}
