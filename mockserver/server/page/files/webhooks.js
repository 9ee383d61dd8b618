/** Webhooks: what was delivered to subscriptions, how that went, and sending it again. */

import { call, get, ofProject } from "./api.js";
import { badge, button, facts, fill, h } from "./dom.js";
import { Listing } from "./listing.js";
import { countOf, momentOf, timeOf } from "./show.js";
import { View } from "./view.js";
import { VirtualList } from "./virtual.js";

const BATCH = 100;
const STATUSES = ["waiting", "due", "held", "lost", "succeeded", "failed"];
/** @type {Record<string, string>} */
const MOODS = { succeeded: "good", failed: "bad", lost: "bad" };

export class WebhooksView extends View {
  /** @param {import("./main.js").Context} context */
  constructor(context) {
    super();
    this.path = ofProject(context.project, "/webhooks");
    this.params = context.params;
    this.list = new VirtualList({
      label: "Webhooks, newest first",
      kind: "webhooks",
      render: deliveryRow,
      load: (skip, limit) => this.fetch(skip, limit),
      keyOf: (row) => row.id,
      onChoose: (row, opened) => this.listing.choose(row.id, opened),
    });
    this.listing = new Listing(this.list, this.params, {
      param: "delivery",
      label: "Webhook",
      open: () => this.open(),
      empty: "No webhooks. What is delivered to subscriptions appears here.",
    });
    this.total = h("span", { class: "dim", role: "status" });
    this.element = h("div", { class: "view" }, this.toolbar(), this.listing.element);
  }

  toolbar() {
    this.status = h("select", { "aria-label": "Status", name: "status" });
    this.status.append(h("option", { value: "" }, "Any status"));
    for (const status of STATUSES) this.status.append(h("option", { value: status }, status));
    this.status.value = this.params.get("status") ?? "";
    this.status.addEventListener("change", () => {
      this.listing.change({ status: this.status?.value, top: null });
      void this.refresh();
    });
    const deliver = button("Send what waits", () => void this.change("/deliver", {}));
    return h("div", { class: "bar", role: "search" }, this.status, deliver, this.total);
  }

  /** @param {string} path @param {object} [body] */
  async change(path, body) {
    await call("POST", this.path + path, body);
    await this.refresh();
  }

  /** @param {number} skip @param {number} limit */
  fetch(skip, limit) {
    return get(`${this.path}/deliveries`, { order: "desc", skip, limit, status: this.params.get("status") });
  }

  async reload() {
    const { data, total } = await this.fetch(0, BATCH);
    // Another view may be shown by now, whose address is not this one's to change.
    if (!this.element.isConnected) return;
    // All of them: one that is there already may have come further.
    this.list.reset(data, total);
    this.total.textContent = countOf(total, "webhook");
    this.listing.showEmpty(total === 0);
    const chosen = this.params.get("delivery");
    if (chosen && data.some((/** @type {any} */ row) => row.id === chosen)) this.listing.choose(chosen, true);
  }

  /** Open the chosen delivery. */
  open() {
    const row = this.list.rows[this.list.place];
    const redeliver = () => void this.change(`/deliveries/${row.id}/redeliver`);
    this.listing.show();
    fill(this.listing.detail, ...deliveryOf(row, redeliver, () => this.listing.close()));
  }

  /** @param {string} key */
  key(key) {
    if (key === "Enter" && this.list.place < 0) return false;
    return this.listing.key(key);
  }

  dispose() {
    this.list.dispose();
  }
}

/** @param {any} row */
function deliveryRow(row) {
  return h(
    "div",
    { class: "message" },
    h("span", { class: "to" }, row.topic),
    h("span", { class: "subject dim" }, row.target),
    h("span", { class: "marks" }, row.fate && badge(row.fate), badge(row.status, MOODS[row.status])),
    h("span", { class: "time dim mono" }, timeOf(row.at)),
  );
}

/** @param {any} row @param {() => void} redeliver @param {() => void} close */
function deliveryOf(row, redeliver, close) {
  const hasEnded = ["succeeded", "failed", "lost"].includes(row.status);
  const attempts = row.attempts.map((/** @type {any} */ each) =>
    h("li", {}, momentOf(each.at), " ", each.error ?? `answered ${each.answered}`, " ", each.response),
  );
  return [
    h(
      "div",
      { class: "actions" },
      hasEnded && button("Deliver again", redeliver),
      button("Close", close, { title: "Close (Esc)" }),
    ),
    h("h2", {}, row.topic),
    facts([
      ["Status", badge(row.status, MOODS[row.status])],
      ["To", row.target],
      ["About", row.resource],
      ["Subscription", row.subscription],
      ["Trigger", row.trigger],
      ["Time", momentOf(row.at)],
      ["Due", row.due && momentOf(row.due)],
      ["Fate", row.fate],
      ["Signature", row.verified ? row.headers["openfort-signature"] : "not that of this body"],
    ]),
    h("ol", {}, attempts),
    h("pre", { class: "body", tabindex: 0 }, JSON.stringify(row.payload, null, 2)),
  ];
}
