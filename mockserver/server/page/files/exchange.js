/** One exchange: request, answer, the rule that matched, those that nearly did, fault and effects. */

import { Refused, base, get, ofProject } from "./api.js";
import { exchangeAsCurl } from "./curl.js";
import { badge, button, copy, facts, fill, h } from "./dom.js";
import { effectsOf } from "./effects.js";
import { addressOf, currentRoute } from "./route.js";
import { bodyOf, headersOf, momentOf, passed, statusBadge } from "./show.js";

/**
 * @param {HTMLElement} place
 * @param {import("./main.js").Context} context
 * @param {number} n
 * @param {() => void} close
 */
export async function showExchange(place, context, n, close) {
  const path = ofProject(context.project, `/journal/${n}`);
  place.dataset.n = String(n);
  try {
    const [exchange, near] = await Promise.all([get(path), get(`${path}/near-misses`)]);
    // Another one may have been opened meanwhile.
    if (place.dataset.n !== String(n)) return;
    fill(
      place,
      headOf(exchange, () => get(path, { unmasked: true }), close),
      rulesOf(exchange, near.data, context.project),
      payloads(exchange),
      effectsOf(exchange.effects),
    );
    place.scrollTop = 0;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    fill(place, button("Close", close), h("p", { class: "empty" }, error.message));
  }
}

/** @param {any} exchange @param {() => Promise<any>} loadUnmasked @param {() => void} close */
export function headOf(exchange, loadUnmasked, close) {
  const unmasked = async () => copy(exchangeAsCurl(await loadUnmasked()));
  const hints = [...exchange.hints, ...(exchange.findings ?? [])];
  return h(
    "div",
    { class: "head" },
    h(
      "div",
      { class: "actions" },
      button("Copy as curl", () => copy(exchangeAsCurl(exchange))),
      button("… with secrets", unmasked),
      button("Close", close, { title: "Close (Esc)" }),
    ),
    h(
      "h2",
      { class: "mono" },
      `${exchange.method} ${exchange.path}`,
      exchange.query && h("span", { class: "dim" }, `?${exchange.query}`),
    ),
    facts([
      [
        "Status",
        h("span", {}, statusBadge(exchange), " ", exchange.fault && badge(`fault: ${exchange.fault}`, "bad")),
      ],
      [
        "Lost",
        exchange.lost &&
          exchange.status > 0 &&
          "The call was done, and its client got no answer: below is what it would have got.",
      ],
      [
        "Operation",
        exchange.docs
          ? h("a", { href: withProject(exchange.docs) }, exchange.operation)
          : (exchange.operation ?? "none: there is no such path"),
      ],
      ["Time", momentOf(exchange.at)],
      ["Took", exchange.took_ms > 0 && `${passed(exchange.took_ms)} on the project's clock`],
      ["Number", exchange.n],
      ["Request id", exchange.request_id && h("code", {}, exchange.request_id)],
      ["Hints", hints.length > 0 && h("span", {}, hints.join("; "))],
    ]),
  );
}

/** The address of the reference, with the keys of this project. @param {string} docs */
function withProject(docs) {
  const url = new URL(docs, base);
  url.searchParams.set("project", currentRoute().project);
  return url.href;
}

/** @param {any} exchange @param {any[]} near @param {string} project */
function rulesOf(exchange, near, project) {
  const missed = near.filter((miss) => miss.rule !== exchange.rule);
  if (!exchange.rule && !missed.length) return null;
  const misses = missed.map((miss) =>
    h(
      "li",
      {},
      h("strong", {}, miss.rule),
      h("span", { class: "dim" }, ` of ${miss.scenario}`),
      h(
        "ul",
        {},
        miss.missed.map((/** @type {string} */ why) => h("li", {}, why)),
      ),
    ),
  );
  return h(
    "section",
    {},
    exchange.rule &&
      h(
        "p",
        {},
        "Matched the rule ",
        h("a", { href: addressOf(project, "scenarios", { rule: exchange.rule }) }, exchange.rule),
        ".",
      ),
    misses.length > 0 && h("h3", {}, "Rules that nearly match it"),
    misses.length > 0 && h("ul", { class: "misses" }, misses),
  );
}

/** @param {any} exchange */
export function payloads(exchange) {
  const section = (/** @type {string} */ title, /** @type {any} */ payload) =>
    h("section", {}, h("h3", {}, title), bodyOf(payload.body), headersOf(payload.headers));
  return h("div", {}, section("Request", exchange.request), section("Answer", exchange.response));
}
