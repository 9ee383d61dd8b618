/** What policies decided, as a tree: call, policy, rule, criterion, each with its reason. */

import { badge, h } from "./dom.js";
import { linked } from "./show.js";

/** @param {any} decisions of `GET .../transactions/{id}/decisions` */
export function decisionsOf(decisions) {
  const { sending, sponsoring } = decisions;
  return h(
    "section",
    { class: "decisions" },
    h("h3", {}, "Policies"),
    !sending.length &&
      !sponsoring &&
      h("p", { class: "dim" }, "No policy applies, and no sponsorship was requested."),
    sending.map((/** @type {any} */ decision, /** @type {number} */ index) =>
      decisionOf(`Sending, call ${index + 1}`, decision),
    ),
    sponsoring && sponsorshipOf(sponsoring),
  );
}

/** @param {any} sponsoring */
function sponsorshipOf(sponsoring) {
  return h(
    "div",
    {},
    h(
      "p",
      {},
      badge(sponsoring.pays ? "sponsored" : "not sponsored", sponsoring.pays ? "good" : "bad"),
      " ",
      ...linked(sponsoring.fee_sponsorship_id),
      ": ",
      sponsoring.reason,
    ),
    sponsoring.calls.map((/** @type {any} */ decision, /** @type {number} */ index) =>
      decisionOf(`Sponsoring, call ${index + 1}`, decision),
    ),
  );
}

/** @param {string} title @param {any} decision */
export function decisionOf(title, decision) {
  return h(
    "details",
    { open: true, class: "decision" },
    h(
      "summary",
      {},
      badge(decision.allowed ? "allowed" : "refused", decision.allowed ? "good" : "bad"),
      ` ${title}: ${decision.reason}`,
    ),
    h(
      "ul",
      { class: "tree" },
      decision.policies.map((/** @type {any} */ policy) => policyTrace(policy, decision)),
    ),
  );
}

/** @param {any} policy @param {any} decision */
function policyTrace(policy, decision) {
  return h(
    "li",
    {},
    h(
      "span",
      {},
      "Policy ",
      ...linked(policy.id),
      h("span", { class: "dim" }, ` for the ${policy.scope}, priority ${policy.priority}`),
    ),
    policy.skipped_reason && h("span", { class: "dim" }, ` skipped: ${policy.skipped_reason}`),
    h(
      "ul",
      { class: "tree" },
      policy.rules.map((/** @type {any} */ rule) => ruleTrace(rule, decision)),
    ),
  );
}

/** @param {any} rule @param {any} decision */
function ruleTrace(rule, decision) {
  const decided = rule.id === decision.rule_id;
  return h(
    "li",
    {},
    mark(rule.matched),
    ` ${rule.action} ${rule.operation} `,
    decided && badge("this rule decided", rule.action === "accept" ? "good" : "bad"),
    rule.skipped_reason && h("span", { class: "dim" }, ` ${rule.skipped_reason}`),
    h(
      "ul",
      { class: "tree" },
      rule.criteria.map((/** @type {any} */ each) =>
        h(
          "li",
          {},
          mark(each.matched),
          " ",
          h("code", {}, `${each.type} ${each.operator}`),
          " ",
          each.reason,
        ),
      ),
    ),
  );
}

/** @param {boolean | null} matched */
function mark(matched) {
  return matched === null
    ? badge("not asked")
    : badge(matched ? "matched" : "no match", matched ? "good" : "warn");
}

/** A policy as it is stored. @param {any} policy */
export function policyOf(policy) {
  const state = policy.deleted
    ? badge("deleted", "bad")
    : policy.enabled
      ? badge("enabled", "good")
      : badge("disabled", "warn");
  const rules = policy.rules.map((/** @type {any} */ rule) =>
    h(
      "li",
      {},
      badge(rule.action, rule.action === "accept" ? "good" : "bad"),
      ` ${rule.operation}`,
      h(
        "ul",
        { class: "tree" },
        rule.criteria.map(criterion),
        !rule.criteria.length && h("li", { class: "dim" }, "always"),
      ),
    ),
  );
  return h(
    "section",
    {},
    h("h3", {}, "Rules, the first that matches decides"),
    h("p", {}, state, ` for the ${policy.scope}, priority ${policy.priority}`),
    h("ol", { class: "tree" }, rules),
  );
}

/** @param {any} given */
function criterion(given) {
  const { type, operator, ...rest } = given;
  return h(
    "li",
    {},
    h("code", {}, `${type} ${operator ?? ""} ${Object.keys(rest).length ? JSON.stringify(rest) : ""}`),
  );
}
