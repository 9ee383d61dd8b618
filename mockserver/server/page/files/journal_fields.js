/** The fields by which the journal is filtered. */

import { h } from "./dom.js";

const STATUSES = [
  ["", "Any status"],
  ["2xx", "2xx"],
  ["3xx", "3xx"],
  ["4xx", "4xx"],
  ["5xx", "5xx"],
  ["0", "No answer"],
];

/**
 * The search, and behind it the others.
 *
 * @param {URLSearchParams} params what they show at first
 * @param {(changes: Record<string, string>) => void} filter
 * @returns {[HTMLInputElement, ...(HTMLInputElement | HTMLSelectElement)[]]}
 */
export function journalFields(params, filter) {
  const search = h("input", {
    type: "search",
    class: "grow",
    placeholder: "Text in path, query or bodies",
    "aria-label": "Text",
    name: "text",
  });
  const status = h("select", { "aria-label": "Status", name: "status" });
  status.append(...STATUSES.map(([value, label]) => h("option", { value }, label)));
  const operation = short("operation", "Operation", "Operation");
  const rule = short("rule", "Rule", "Rule, or a*");
  for (const field of [search, status, operation, rule]) {
    field.value = params.get(field.name) ?? "";
    field.addEventListener("change", () => filter({ [field.name]: field.value }));
  }
  return [search, status, operation, rule];
}

/** @param {string} name @param {string} label @param {string} placeholder */
function short(name, label, placeholder) {
  return h("input", { class: "short", placeholder, "aria-label": label, name, spellcheck: "false" });
}
