// The outbox and the journal of a project.

/** @import { ProjectConnection } from "./connection.js" */
/** @import { Exchange, JournalFilters, Message, OutboxFilters, WholeExchange } from "./entries.js" */

const PATIENCE_MS = 5_000;
const SHOWN = 5;

/** E-mails and text messages that the real service would have sent. */
export class MockOutbox {
  #client;

  /** @param {ProjectConnection} client */
  constructor(client) {
    this.#client = client;
  }

  /**
   * The matching messages, oldest first.
   *
   * @param {OutboxFilters} [filters]
   * @returns {Promise<Message[]>}
   */
  list(filters) {
    return this.#client.entries("/outbox", filters);
  }

  /**
   * The newest matching message: `code`, `url`, `text` and so on. An error without one.
   *
   * @param {OutboxFilters} [filters]
   * @returns {Promise<Message>}
   */
  latest(filters) {
    return this.wait({ ...filters, timeoutMs: 0 });
  }

  /**
   * Wait for a matching message, in real time: the newest. An error after the timeout, five seconds unless given.
   *
   * @param {OutboxFilters & { timeoutMs?: number }} [filters]
   * @returns {Promise<Message>}
   */
  async wait({ timeoutMs = PATIENCE_MS, ...filters } = {}) {
    const [newest] = await this.#client.entries(
      "/outbox",
      { ...filters, order: "desc", limit: 1 },
      timeoutMs,
    );
    if (newest) return newest;
    const there = (await this.list()).map(({ kind, to }) => `${kind} to ${to}`).join(", ");
    const wanted = ["the outbox holds no message", listed(filters)].filter(Boolean).join(" ");
    throw new Error(`${wanted}; it holds ${there || "nothing"}`);
  }

  /** Delete every message; their codes and links stay valid. */
  async clear() {
    await this.#client.call("DELETE", "/outbox");
  }
}

/** Every exchange in order, with the secrets masked. */
export class MockJournal {
  #client;

  /** @param {ProjectConnection} client */
  constructor(client) {
    this.#client = client;
  }

  /**
   * The matching exchanges, oldest first unless `order` is `desc`.
   *
   * `status` is a number or a class such as `4xx`, `path` a prefix or a pattern with `*`, `since` the number of an
   * exchange that is earlier; `matched: false` are the calls that no rule decided about.
   *
   * @param {JournalFilters} [filters]
   * @returns {Promise<WholeExchange[]>}
   */
  list(filters) {
    return this.#client.entries("/journal", filters);
  }

  /**
   * Wait for an exchange that matches as in `list`, in real time: the first. An error after the timeout, five seconds
   * unless given.
   *
   * @param {JournalFilters & { timeoutMs?: number }} [filters]
   * @returns {Promise<WholeExchange>}
   */
  async wait({ timeoutMs = PATIENCE_MS, ...filters } = {}) {
    const [first] = await this.#client.entries("/journal", { ...filters, limit: 1 }, timeoutMs);
    if (first) return first;
    const latest = (await this.list({ order: "desc", limit: SHOWN })).reverse();
    const there = latest.map(({ method, path, status }) => `${method} ${path} ${status}`).join(", ");
    throw new Error(`no exchange fits ${listed(filters)}; the latest are ${there || "none at all"}`);
  }

  /** How many exchanges it holds. */
  async count() {
    return /** @type {number} */ (
      (await this.#client.call("GET", "/journal", { params: { limit: 1 } })).total
    );
  }

  /** The number of the latest exchange, for `since`; 0 without one. */
  async lastNumber() {
    /** @type {Exchange[]} */
    const [latest] = await this.#client.entries("/journal", { order: "desc", limit: 1, brief: true });
    return latest?.n ?? 0;
  }

  /** Delete every exchange; numbers are not used again. */
  async clear() {
    await this.#client.call("DELETE", "/journal");
  }
}

/** @param {object} filters */
function listed(filters) {
  return Object.entries(filters)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");
}
