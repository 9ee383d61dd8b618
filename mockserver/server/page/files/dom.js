/**
 * Elements, made without any HTML text: whatever comes from the server can only become a text node.
 *
 * @typedef {Node | string | number | null | undefined | false} Child
 * @typedef {Record<string, unknown> & { on?: Record<string, (event: any) => void> }} Props
 */

import { tokenHeader, urlOf } from "./api.js";

const SVG = "http://www.w3.org/2000/svg";

/**
 * An element with attributes, listeners (`on`) and children. An attribute that is false, null or undefined is left out.
 *
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Props} [props]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  decorate(element, props, children.flat());
  return element;
}

/**
 * The same for SVG.
 *
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} tag
 * @param {Props} [props]
 * @param {...(Child | Child[])} children
 * @returns {SVGElementTagNameMap[K]}
 */
export function svg(tag, props = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  decorate(element, props, children.flat());
  return element;
}

/** @param {Element} element @param {Props} props @param {Child[]} children */
function decorate(element, props, children) {
  for (const [name, value] of Object.entries(props)) {
    if (name === "on") {
      for (const [type, listener] of Object.entries(props.on ?? {})) element.addEventListener(type, listener);
    } else if (value !== false && value !== null && value !== undefined) {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  element.append(...nodes(children));
}

/** @param {Child[]} children @returns {(Node | string)[]} */
function nodes(children) {
  const found = [];
  for (const child of children) {
    if (child instanceof Node) found.push(child);
    else if (child !== null && child !== undefined && child !== false) found.push(String(child));
  }
  return found;
}

/**
 * Replace everything in an element. Of what is there again, the focus and the folds are kept.
 *
 * @param {Element} element
 * @param {...(Child | Child[])} children
 */
export function fill(element, ...children) {
  const focused = document.activeElement;
  const isWithin = focused !== element && element.contains(focused);
  const twins = () =>
    [...element.querySelectorAll(focused?.tagName ?? "")].filter((each) => nameOf(each) === nameOf(focused));
  const place = isWithin ? twins().indexOf(/** @type {Element} */ (focused)) : -1;
  const folds = [...element.querySelectorAll("details")];
  element.replaceChildren(...nodes(children.flat()));
  for (const fold of element.querySelectorAll("details")) {
    const same = folds.findIndex((each) => nameOf(each.firstChild) === nameOf(fold.firstChild));
    if (same >= 0) fold.open = folds.splice(same, 1)[0].open;
  }
  if (isWithin) /** @type {HTMLElement} */ (twins()[place])?.focus({ preventScroll: true });
}

/** What tells an element from others of its kind. @param {any} element */
function nameOf(element) {
  return element.getAttribute("aria-label") ?? element.getAttribute("href") ?? element.textContent;
}

/** @param {string} label @param {() => void} click @param {Props} [props] */
export function button(label, click, props = {}) {
  return h("button", { type: "button", ...props, on: { click } }, label);
}

/** @param {string} label @param {string} [kind] */
export function badge(label, kind = "") {
  return h("span", { class: `badge ${kind}` }, label);
}

/** A list of facts; those without a value are left out. @param {[string, Child][]} entries */
export function facts(entries) {
  const known = entries.filter(
    ([, value]) => value !== null && value !== undefined && value !== "" && value !== false,
  );
  return h(
    "dl",
    { class: "facts" },
    known.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]),
  );
}

/**
 * A table with a head; a column without a name is of buttons.
 *
 * @param {string[]} heads
 * @param {Child[][]} rows
 * @param {Props} [props]
 */
export function table(heads, rows, props = {}) {
  const head = heads.map((name) =>
    h("th", { scope: "col" }, name || h("span", { class: "unseen" }, "Actions")),
  );
  const body = rows.map((cells) =>
    h(
      "tr",
      {},
      cells.map((cell) => h("td", {}, cell)),
    ),
  );
  return h(
    "div",
    { class: "wide" },
    h("table", props, h("thead", {}, h("tr", {}, head)), h("tbody", {}, body)),
  );
}

/** Tell the user something for a few seconds. @param {string} text */
export function notify(text) {
  const place = document.getElementById("notice");
  if (!place) return;
  place.textContent = text;
  clearTimeout(notified);
  notified = setTimeout(() => place.replaceChildren(), 4000);
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let notified;

/** Copy a text, or where the browser forbids that, show it to be copied. @param {string} text */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    notify("Copied");
  } catch {
    dialog(
      "Copy this text",
      h("textarea", { rows: 12, cols: 70, readonly: true, "aria-label": "Text to copy" }, text),
    );
  }
}

/** A text of a shell, to be copied. @param {string} text @param {string} label */
export function command(text, label) {
  const copyIt = button("Copy", () => copy(text), { "aria-label": label });
  return h("div", { class: "command" }, h("pre", { class: "body", tabindex: 0 }, text), copyIt);
}

/**
 * Download what the control API answers. Fetched rather than linked, because a link cannot send the control token.
 *
 * @param {string} path below `/_mock/`
 * @param {string} name that of the file
 * @param {string} [accept] the type, where there are several
 */
export async function download(path, name, accept = "*/*") {
  const response = await fetch(urlOf(path), { headers: { accept, ...tokenHeader() } });
  const url = URL.createObjectURL(await response.blob());
  h("a", { href: url, download: name }).click();
  URL.revokeObjectURL(url);
}

/**
 * Ask before what cannot be undone.
 *
 * @param {string} title
 * @param {string} text what will be lost
 * @param {string} verb
 * @param {() => unknown} run
 */
export function ask(title, text, verb, run) {
  const go = () => {
    box.close();
    void run();
  };
  const box = dialog(title, h("p", {}, text));
  box.lastElementChild?.append(button(verb, go, { class: "risky" }));
}

/** Open a dialog that Escape closes. @param {string} title @param {...Child} content @returns {HTMLDialogElement} */
export function dialog(title, ...content) {
  const box = h("dialog", { "aria-label": title }, h("h2", {}, title), ...content);
  box.append(
    h(
      "div",
      { class: "end" },
      button("Close", () => box.close()),
    ),
  );
  box.addEventListener("close", () => box.remove());
  document.body.append(box);
  box.showModal();
  return box;
}
