/** How values are shown: times, statuses, JSON, and what can be followed by a link. */

import { badge, h } from "./dom.js";
import { addressOf, currentRoute } from "./route.js";

const MOST_SHOWN = 60_000;
const FOLLOWED = /\b(?:[a-z]{3}_[0-9a-f]{8}-[0-9a-f-]{27}|0x[0-9a-fA-F]{64}|0x[0-9a-fA-F]{40})\b/g;
const TOKENS = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b/g;

const GOOD = new Set("successful confirmed indexed active enabled verified success".split(" "));
const BAD = new Set("failed reverted dropped expired replaced revoked deleted inactive rejected".split(" "));

/** The day that the project's clock shows, of which times need no date. */
let today = "";

/** Note the day, and show the times of the page as they are on it. @param {string} iso */
export function setToday(iso) {
  const day = iso.slice(0, 10);
  if (day === today) return;
  today = day;
  for (const time of document.querySelectorAll("time[title]"))
    time.textContent = onThisDay(time.getAttribute("title") ?? "");
}

/** The time of day of an ISO time, of another day with the date. @param {string} iso */
export function timeOf(iso) {
  return h("time", { datetime: iso, title: iso }, onThisDay(iso));
}

/** @param {string} iso */
function onThisDay(iso) {
  return iso.startsWith(today) ? iso.slice(11, 23) : `${iso.slice(5, 10)} ${iso.slice(11, 19)}`;
}

/** How long something took. @param {number} ms */
export function passed(ms) {
  if (ms < 1000) return `${ms} ms`;
  return ms < 60_000 ? `${ms / 1000} s` : `${Math.round(ms / 6000) / 10} min`;
}

/** @param {number} count @param {string} noun */
export function countOf(count, noun) {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

/** What a status, a state or an event is a sign of: the class of its badge. @param {string} name */
export function moodOf(name) {
  return GOOD.has(name) ? "good" : BAD.has(name) ? "bad" : "";
}

/** An id that is cut in its middle where there is no room for it, because its end tells it apart. @param {string} id */
export function middle(id) {
  const cut = id.length < 20 ? id.length : -8;
  return h("span", { class: "middle", title: id }, h("span", {}, id.slice(0, cut)), id.slice(cut));
}

/** @param {string} iso */
export function momentOf(iso) {
  return h("time", { datetime: iso, class: "mono" }, `${iso.slice(0, 10)} ${iso.slice(11, 23)}`);
}

/** The status of an exchange, as its client saw it. @param {{ status: number, rpc_error?: number | null, lost?: boolean, fault?: string | null }} exchange */
export function statusBadge({ status, rpc_error, lost, fault }) {
  if (status === 0) return badge("no answer", "bad");
  if (lost) return h("span", { class: "badge bad" }, h("s", {}, status), " lost");
  if (typeof rpc_error === "number") return badge(`${status} ${rpc_error}`, "warn");
  const mood = status >= 500 ? "bad" : status >= 400 ? "warn" : status >= 300 ? "" : "good";
  return badge(String(status), fault && mood === "good" ? "warn" : mood);
}

/** A text in which ids, addresses and hashes lead to what has them. @param {string} text @returns {(Node | string)[]} */
export function linked(text) {
  const found = [];
  let end = 0;
  for (const match of text.matchAll(FOLLOWED)) {
    found.push(text.slice(end, match.index), followed(match[0]));
    end = match.index + match[0].length;
  }
  found.push(text.slice(end));
  return found;
}

/** @param {string} id */
export function followed(id) {
  return h("a", { href: addressOf(currentRoute().project, "search", { q: id }) }, id);
}

/** A link of a message, if it is one that a browser should open: nothing but HTTP. @param {string} url */
export function outward(url) {
  const isWeb = /^https?:\/\//i.test(url);
  return isWeb
    ? h("a", { href: url, target: "_blank", rel: "noopener noreferrer", class: "mono" }, url)
    : h("code", {}, url);
}

/** A body: JSON in colours, a text as it is. @param {unknown} body */
export function bodyOf(body) {
  if (body === null || body === undefined) return h("p", { class: "dim" }, "No body");
  const text = typeof body === "string" ? body : JSON.stringify(body, null, 2);
  const pre = h("pre", { class: "body", tabindex: 0 });
  const shown = text.slice(0, MOST_SHOWN);
  pre.append(...(typeof body === "string" ? linked(shown) : coloured(shown)));
  if (text.length > MOST_SHOWN) {
    const rest = h("button", { type: "button" }, `Show all ${text.length.toLocaleString("en")} characters`);
    rest.addEventListener("click", () => {
      pre.replaceChildren(text);
      rest.remove();
      pre.focus();
    });
    return h("div", {}, pre, rest);
  }
  return pre;
}

/** @param {string} json @returns {(Node | string)[]} */
function coloured(json) {
  const found = [];
  let end = 0;
  for (const match of json.matchAll(TOKENS)) {
    found.push(json.slice(end, match.index));
    end = match.index + match[0].length;
    const [all, text, colon] = match;
    if (text && colon) found.push(h("span", { class: "name" }, text), colon);
    else if (text) found.push(h("span", { class: "text" }, ...linked(text)));
    else found.push(h("span", { class: "number" }, all));
  }
  found.push(json.slice(end));
  return found;
}

/** Headers, folded because they are rarely looked at. @param {Record<string, string>} headers */
export function headersOf(headers) {
  const entries = Object.entries(headers);
  return h(
    "details",
    {},
    h("summary", {}, countOf(entries.length, "header")),
    h(
      "table",
      { class: "mono" },
      h(
        "tbody",
        {},
        entries.map(([name, value]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, value))),
      ),
    ),
  );
}
