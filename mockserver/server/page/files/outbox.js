/** The outbox as an inbox: messages with their codes and links. */

import { call, get, ofProject } from "./api.js";
import { ask, badge, button, copy, facts, fill, h } from "./dom.js";
import { Listing } from "./listing.js";
import { countOf, momentOf, outward, timeOf } from "./show.js";
import { View } from "./view.js";
import { VirtualList } from "./virtual.js";

const BATCH = 100;

export class OutboxView extends View {
  /** @param {import("./main.js").Context} context */
  constructor(context) {
    super();
    this.path = ofProject(context.project, "/outbox");
    this.params = context.params;
    this.list = new VirtualList({
      label: "Messages, newest first",
      kind: "messages",
      render: messageRow,
      load: (skip, limit) => this.fetch(skip, limit),
      keyOf: (row) => row.id,
      onChoose: (row, opened) => this.listing.choose(row.id, opened),
    });
    this.listing = new Listing(this.list, this.params, {
      param: "message",
      label: "Message",
      open: () => this.open(),
      empty: "No messages. E-mails and texts that the service would have sent appear here.",
    });
    this.total = h("span", { class: "dim", role: "status" });
    this.element = h("div", { class: "view" }, this.toolbar(), this.listing.element);
  }

  toolbar() {
    this.search = h("input", {
      type: "search",
      class: "grow",
      placeholder: "Sent to this address or number",
      "aria-label": "Recipient",
      name: "to",
    });
    this.search.value = this.params.get("to") ?? "";
    const channel = h("select", { "aria-label": "Channel", name: "channel" });
    for (const [value, label] of [
      ["", "Any channel"],
      ["email", "E-mail"],
      ["sms", "Text message"],
    ])
      channel.append(h("option", { value }, label));
    channel.value = this.params.get("channel") ?? "";
    for (const field of [this.search, channel]) {
      field.addEventListener("change", () => {
        this.listing.change({ [field.name]: field.value, top: null });
        void this.refresh();
      });
    }
    const clear = async () => {
      await call("DELETE", this.path);
      await this.refresh();
    };
    const text = "The messages are gone for good; their codes and links stay valid.";
    this.clear = button("Delete all", () => ask("Delete all messages?", text, "Delete all", clear), {
      class: "risky",
    });
    return h("div", { class: "bar", role: "search" }, this.search, channel, this.clear, this.total);
  }

  /** @param {number} skip @param {number} limit */
  fetch(skip, limit) {
    return get(this.path, {
      order: "desc",
      skip,
      limit,
      to: this.params.get("to"),
      channel: this.params.get("channel"),
    });
  }

  /** @param {any} event */
  stateOf(event) {
    return `${event.generation} ${event.version} ${event.messages}`;
  }

  async reload() {
    const { data, total } = await this.fetch(0, BATCH);
    // Another view may be shown by now, whose address is not this one's to change.
    if (!this.element.isConnected) return;
    const newest = this.list.rows[0]?.id;
    const place = data.findIndex((/** @type {any} */ row) => row.id === newest);
    if (place > 0 && total === this.list.rows.length + place) this.list.prepend(data.slice(0, place), place);
    else if (place !== 0 || total !== this.list.rows.length) this.list.reset(data, total);
    this.total.textContent = countOf(total, "message");
    if (this.clear) this.clear.disabled = !total && !this.params.get("to") && !this.params.get("channel");
    this.listing.showEmpty(total === 0);
    this.listing.scrollToTop();
    const chosen = this.params.get("message");
    const row = chosen && this.list.rows.find((each) => each?.id === chosen);
    if (row && !this.listing.isOpen) this.listing.choose(row.id, true);
  }

  /** Open the chosen message. */
  open() {
    const row = this.list.rows[this.list.place];
    this.listing.show();
    fill(this.listing.detail, ...messageOf(row, () => this.listing.close()));
  }

  /** @param {string} key */
  key(key) {
    // What was chosen may have been deleted.
    if (key === "Enter" && this.list.place < 0) return false;
    if (key !== "/") return this.listing.key(key);
    this.search?.focus();
    return true;
  }

  dispose() {
    this.list.dispose();
  }
}

/** @param {any} row */
function messageRow(row) {
  return h(
    "div",
    { class: "message" },
    h("span", { class: "to" }, row.to),
    h("span", { class: "subject dim" }, row.subject ?? row.text),
    h(
      "span",
      { class: "marks" },
      row.code && h("code", { class: "badge cool" }, row.code),
      row.url && badge("link"),
      badge(row.kind),
    ),
    h("span", { class: "time dim mono" }, timeOf(row.at)),
  );
}

/** @param {any} row @param {() => void} close */
function messageOf(row, close) {
  return [
    h("div", { class: "actions" }, button("Close", close, { title: "Close (Esc)" })),
    h("h2", {}, row.subject ?? (row.channel === "sms" ? "Text message" : "E-mail")),
    facts([
      ["To", row.to],
      ["Kind", badge(row.kind)],
      ["Channel", row.channel === "sms" ? "Text message" : "E-mail"],
      ["Time", momentOf(row.at)],
    ]),
    row.code &&
      h(
        "p",
        { class: "code" },
        h("code", {}, row.code),
        button("Copy code", () => copy(row.code)),
      ),
    row.url && h("p", {}, outward(row.url)),
    h("pre", { class: "body letter", tabindex: 0 }, row.text),
  ];
}
