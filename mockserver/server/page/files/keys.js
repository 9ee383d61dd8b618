/** Keys: those of the frame, and those that the view knows. */

import { calls } from "./api.js";
import { callAsCurl } from "./curl.js";
import { command, dialog, h } from "./dom.js";

const HELP = [
  ["j, k", "Next, previous row"],
  ["Enter", "Open the row"],
  ["Esc", "Close it, and return to the row; leave a field"],
  ["/", "Search"],
  ["p", "Pause or resume the journal"],
  ["m", "Mark a moment of the timeline, to compare others with"],
  ["c", "The page's calls as curl"],
  ["?", "This help"],
];

/** @param {KeyboardEvent} event @param {() => import("./views.js").View | null} viewOf */
export function onKey(event, viewOf) {
  if (
    event.defaultPrevented ||
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    document.querySelector("dialog[open]")
  )
    return;
  // The first of the path: the editor is in a shadow root, outside of which its place is the target.
  const target = /** @type {HTMLElement} */ (event.composedPath()[0]);
  const types = target.matches("input, textarea, select, [contenteditable]");
  if (types) {
    if (event.key === "Escape") {
      // Chromium would empty a search field.
      event.preventDefault();
      target.blur();
    }
    return;
  }
  if (event.key === "Enter" && target.matches("a, button, summary")) return;
  if (viewOf()?.key(event.key) || ownKey(event.key)) event.preventDefault();
}

/** @param {string} key */
function ownKey(key) {
  if (key === "?") showHelp();
  else if (key === "c") showCalls();
  else return false;
  return true;
}

export function showHelp() {
  dialog(
    "Keys",
    h(
      "dl",
      { class: "facts keys" },
      HELP.flatMap(([key, meaning]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, meaning)]),
    ),
  );
}

/** What the page asked of the control API, newest first. */
export function showCalls() {
  const entries = calls.map((made) =>
    h("li", {}, command(callAsCurl(made), `Copy ${made.method} ${made.url}`)),
  );
  dialog(
    "Calls of this page",
    h("p", { class: "dim" }, "All that the page does is a call of the control API. The newest is first."),
    h("ol", { class: "calls" }, entries),
  );
}
