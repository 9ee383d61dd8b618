/** What the control API refuses, said in the view that asked. */

import { Refused } from "./api.js";
import { h } from "./dom.js";

/** Where a view says what was refused. */
export function problemLine() {
  return h("p", { class: "badge bad", role: "alert", hidden: true });
}

/**
 * What `make` gives; null when the control API refuses it, with the reason in the line.
 * @param {HTMLElement} line
 * @param {() => Promise<any>} make
 */
export async function attempt(line, make) {
  line.hidden = true;
  try {
    return await make();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    line.textContent = error.message;
    line.hidden = false;
    return null;
  }
}
