/** One chain as a block explorer shows it: its blocks, one of them with its transactions, an address. */

import { Refused, get, ofProject } from "./api.js";
import { badge, facts, fill, h, table } from "./dom.js";
import { addressOf } from "./route.js";
import { countOf, momentOf, moodOf } from "./show.js";
import { chainOf, chainsOf, coinsOf, loadUnits, tokensOf } from "./units.js";
import { View } from "./view.js";

const PAGE = 25;
const MOST_SEARCHED = 100;

/** The address of a chain in this view, or of a part of it. @param {string} project @param {unknown} chain @param {Record<string, unknown>} [part] */
export function chainAddress(project, chain, part = {}) {
  return addressOf(project, "chain", { chain, ...part });
}

export class ChainView extends View {
  /** @param {import("./main.js").Context} context */
  constructor({ project, params }) {
    super();
    this.project = project;
    this.params = params;
    this.chain = params.get("chain") ?? "";
    this.content = h("div", { class: "scroll", "aria-live": "polite" });
    this.chains = h("select", { "aria-label": "Chain" });
    this.chains.addEventListener("change", () => this.go({}, this.chains.value));
    this.field = h("input", {
      type: "search",
      class: "grow",
      placeholder: "Number of a block, address, or hash of a transaction or a block",
      "aria-label": "Block, address or hash",
    });
    this.field.value = params.get("q") ?? "";
    const submit = (/** @type {Event} */ event) => {
      event.preventDefault();
      void this.find(this.field.value.trim());
    };
    const form = h("form", { class: "bar", role: "search", on: { submit } }, this.chains, this.field);
    this.element = h("div", { class: "view" }, form, this.content);
  }

  /** @param {Record<string, unknown>} part @param {string} [chain] */
  go(part, chain = this.chain) {
    location.hash = chainAddress(this.project, chain, part);
  }

  /** @param {Record<string, unknown>} part @param {...import("./dom.js").Child} label */
  link(part, ...label) {
    return h("a", { href: chainAddress(this.project, this.chain, part), class: "mono" }, ...label);
  }

  /** The address of the row of a transaction. @param {string} id */
  rowOf(id) {
    return addressOf(this.project, "tables", { table: "onchain.transactions", row: id });
  }

  /** @param {any} event */
  stateOf(event) {
    return `${event.generation} ${event.version} ${event.clock.now}`;
  }

  async reload() {
    await loadUnits(this.project);
    this.chain ||= await this.usualChain();
    const names = chainsOf().map(
      ([id, { name }]) => /** @type {[string, string]} */ ([id, `${name} (${id})`]),
    );
    if (!names.some(([id]) => id === this.chain)) names.unshift([this.chain, this.chain]);
    fill(
      this.chains,
      names.map(([value, label]) => h("option", { value }, label)),
    );
    this.chains.value = this.chain;
    const asked = this.params.get("q");
    this.params.delete("q");
    if (asked) return this.find(asked);
    try {
      const shown = await this.show();
      if (this.element.isConnected) fill(this.content, ...shown);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.say(error.message);
    }
  }

  /** @param {string} text */
  say(text) {
    fill(this.content, h("p", { class: "empty", role: "alert" }, text));
  }

  /** The chain of the newest transaction. */
  async usualChain() {
    const { data } = await get(ofProject(this.project, "/tables/onchain.transactions"), {
      order: "desc",
      limit: 1,
    });
    return String(data[0]?.row.chain_id ?? chainsOf()[0][0]);
  }

  show() {
    const [block, address] = [this.params.get("block"), this.params.get("address")];
    if (block) return this.block(Number(block));
    return address ? this.address(address) : this.blocks();
  }

  /** Go to what a text names. @param {string} text */
  async find(text) {
    if (/^\d{1,15}$/.test(text)) return this.go({ block: text });
    if (/^0x[0-9a-fA-F]{40}$/.test(text)) return this.go({ address: text });
    const { data } = await get(ofProject(this.project, "/search"), { text: text || "-" });
    const row = data.find((/** @type {any} */ each) => each.table === "onchain.transactions");
    if (row) location.hash = this.rowOf(row.id);
    else this.say(`No block, address or transaction is ${text || "named"}.`);
  }

  /** @param {Record<string, unknown>} query */
  ask(query) {
    return get(ofProject(this.project, `/chains/${this.chain}/blocks`), { order: "desc", ...query });
  }

  async blocks() {
    const [all, before] = [this.params.get("all"), this.params.get("before")];
    const { data, total } = await this.ask({ limit: PAGE, before, filled: !all });
    const rows = data.map((/** @type {any} */ each) => [
      this.link({ block: each.block_number }, each.block_number),
      momentOf(each.created_at),
      countOf(each.transactions.length, "transaction"),
      `${each.gas_used.toLocaleString("en")} gas`,
      h("span", { class: "mono" }, short(each.block_hash)),
    ]);
    const older = data.at(-1)?.block_number;
    return [
      h("h2", {}, all ? "Blocks" : "Blocks with transactions"),
      rows.length
        ? table(["Block", "Time", "Transactions", "Gas", "Hash"], rows)
        : h("p", { class: "dim" }, "There are none. All blocks are a list of their own."),
      h(
        "p",
        { class: "buttons" },
        this.link({ all: !all }, all ? "Blocks with transactions" : "All blocks"),
        before && this.link({ all }, "Latest"),
        total > data.length && this.link({ all, before: older }, "Older"),
      ),
    ];
  }

  /** @param {number} number */
  async block(number) {
    const [block] = (await this.ask({ limit: 1, before: number + 1 })).data;
    if (block?.block_number !== number)
      return [h("p", { class: "empty" }, `The chain has no block ${number} yet.`)];
    return [
      h("h2", {}, `Block ${number}`),
      facts([
        ["Chain", this.link({}, chainOf(this.chain))],
        ["Time", momentOf(block.created_at)],
        ["Hash", h("span", { class: "mono" }, block.block_hash)],
        ["Gas used", block.gas_used.toLocaleString("en")],
      ]),
      h(
        "p",
        { class: "buttons" },
        number > 0 && this.link({ block: number - 1 }, "Previous"),
        this.link({ block: number + 1 }, "Next"),
      ),
      h("h3", {}, countOf(block.transactions.length, "transaction")),
      block.transactions.length > 0 &&
        table(
          ["Hash", "Status", "From", "To", "Value", "Gas"],
          block.transactions.map((/** @type {any} */ each) => this.transaction(each)),
        ),
    ];
  }

  /** @param {any} each */
  transaction(each) {
    return [
      h("a", { href: this.rowOf(each.id), class: "mono" }, short(each.transaction_hash)),
      badge(each.status, moodOf(each.status)),
      this.link({ address: each.sender }, short(each.sender)),
      each.to ? this.link({ address: each.to }, short(each.to)) : "a new contract",
      coinsOf(each.value_wei, this.chain),
      `${each.gas_used.toLocaleString("en")} gas`,
    ];
  }

  /** @param {string} address */
  async address(address) {
    const [state, found, held] = await Promise.all([
      get(ofProject(this.project, `/chains/${this.chain}/addresses/${encodeURIComponent(address)}`)),
      get(ofProject(this.project, "/tables/onchain.transactions"), {
        order: "desc",
        limit: MOST_SEARCHED,
        text: address,
      }),
      get(ofProject(this.project, "/tables/chains.token_holdings"), {
        limit: MOST_SEARCHED,
        text: `${this.chain}:${address.toLowerCase()}:`,
      }),
    ]);
    const sent = found.data.filter((/** @type {any} */ { row }) => String(row.chain_id) === this.chain);
    return [
      h("h2", { class: "mono" }, state.address),
      facts([
        ["Chain", this.link({}, chainOf(this.chain))],
        ["Balance", coinsOf(state.balance_wei, this.chain)],
        ["Transactions sent", state.nonce + state.operation_nonce],
        ["Delegated to", state.delegate && this.link({ address: state.delegate }, state.delegate)],
        ["Code", state.code === "0x" ? state.deployed && "simulated" : `${state.code.length / 2 - 1} bytes`],
        ["Slots of storage", Object.keys(state.storage).length],
      ]),
      ...section(
        "Tokens",
        ["Token", "Balance"],
        state.tokens.map((/** @type {any} */ each) => [
          this.link({ address: each.contract }, short(each.contract)),
          each.token_id === null ? tokensOf(each.balance, each.contract) : `token ${each.token_id}`,
        ]),
      ),
      ...section(
        "Holders",
        ["Holder", "Balance"],
        held.data.map((/** @type {any} */ { row }) => {
          const [, token, holder, id] = row.id.split(":");
          return [
            this.link({ address: holder }, short(holder)),
            id ? `token ${id}` : tokensOf(row.balance, token),
          ];
        }),
      ),
      ...section(
        "Transactions",
        ["Transaction", "Status", "Block"],
        sent.map((/** @type {any} */ { row }) => [
          h("a", { href: this.rowOf(row.id), class: "mono" }, short(row.id)),
          badge(row.status, moodOf(row.status)),
          blockOf(this, row),
        ]),
      ),
    ];
  }

  /** @param {string} key */
  key(key) {
    if (key !== "/") return false;
    this.field.focus();
    return true;
  }
}

/** @param {ChainView} view @param {any} row */
function blockOf(view, { receipt }) {
  const number = receipt?.place?.block_number;
  return number && view.link({ block: number }, number);
}

/** The beginning and the end of a hash, an address or an id. @param {string} text */
function short(text) {
  return h("span", { title: text }, `${text.slice(0, 10)}…${text.slice(-8)}`);
}

/** A table with its title, unless it is empty. @param {string} title @param {string[]} heads @param {any[][]} rows */
function section(title, heads, rows) {
  return rows.length ? [h("h3", {}, title), table(heads, rows)] : [];
}
