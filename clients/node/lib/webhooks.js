// What a project delivers to its subscriptions, and how that ends.

/** @import { ProjectConnection } from "./connection.js" */
/** @import { Delivery, DeliveryFate, DeliveryFilters } from "./entries.js" */

/**
 * Takes a webhook in the process of the test: a status, a response, or nothing for 200.
 *
 * @typedef {(request: Request) => Response | number | void | Promise<Response | number | void>} WebhookHandler
 */

const PATIENCE_MS = 5_000;
const LONGEST = 1_000;

/**
 * The status of a delivery, and what the last attempt came to.
 *
 * @param {Delivery} delivery
 */
function explain({ status, attempts }) {
  if (status === "held") return "held: nothing is sent to its URL, deliver() hands it to a handler";
  const last = attempts.at(-1);
  return last ? `${status}: ${last.error ?? last.answered}` : status;
}

/** Webhooks of a project: what was delivered, handlers that take it, and how deliveries end. */
export class MockWebhooks {
  #client;
  /** @type {Map<string, WebhookHandler>} */
  #handlers = new Map();

  /** @param {ProjectConnection} client */
  constructor(client) {
    this.#client = client;
  }

  /**
   * Subscribe a URL, or an e-mail address, to topics. A handler gets what `deliver` sends to that URL, of which the
   * host is not looked up.
   *
   * @param {string} target
   * @param {string | readonly string[]} topics
   * @param {WebhookHandler} [handler]
   */
  async subscribe(target, topics, handler) {
    if (handler) this.#handlers.set(target, handler);
    const type = target.includes("@") && !target.includes("://") ? "email" : "webhook";
    const triggers = [{ target, type }];
    const given = [topics].flat().map((topic) => ({ call: "CreateSubscription", body: { topic, triggers } }));
    // Not by a call of its own: rules, the journal and `explore` are about those of the tested code.
    const asked = { text: JSON.stringify({ given }), type: "application/yaml", params: { source: "given" } };
    const { id } = await this.#client.call("POST", "/scenarios", asked);
    await this.#client.call("DELETE", `/scenarios/${id}`);
  }

  /**
   * The matching deliveries, oldest first.
   *
   * @param {DeliveryFilters} [filters]
   * @returns {Promise<Delivery[]>}
   */
  list(filters) {
    return this.#client.entries("/webhooks/deliveries", filters);
  }

  /**
   * Wait for a matching delivery, in real time: the newest. An error after the timeout, five seconds unless given.
   *
   * @param {DeliveryFilters & { timeoutMs?: number }} [filters]
   * @returns {Promise<Delivery>}
   */
  async wait({ timeoutMs = PATIENCE_MS, ...filters } = {}) {
    const wanted = { ...filters, order: "desc", limit: 1 };
    const [newest] = await this.#client.entries("/webhooks/deliveries", wanted, timeoutMs);
    if (newest) return newest;
    const there = (await this.list()).map((each) => `${each.topic} (${explain(each)})`).join(", ");
    throw new Error(`no delivery matches ${JSON.stringify(filters)}; there is ${there || "nothing"}`);
  }

  /**
   * Send now what waits, or one delivery: those that the handlers of this test got.
   *
   * @param {string} [id]
   * @returns {Promise<Delivery[]>}
   */
  async deliver(id) {
    const { data } = await this.#client.call("POST", "/webhooks/deliver", { json: { id } });
    const delivered = [];
    for (const entry of data) {
      if (this.#handlers.has(entry.target)) delivered.push(await this.#handOver(entry));
    }
    return delivered;
  }

  /**
   * Deliver again what has ended, with the same body; a handler of this test gets it at once.
   *
   * @param {string} id
   * @returns {Promise<Delivery>}
   */
  async redeliver(id) {
    const entry = await this.#client.call("POST", `/webhooks/deliveries/${id}/redeliver`);
    const isOpen = entry.status === "due" || entry.status === "held";
    return isOpen && this.#handlers.has(entry.target) ? this.#handOver(entry) : entry;
  }

  /**
   * Set the fate of deliveries to come.
   *
   * @param {DeliveryFate} fate
   */
  fate(fate) {
    return this.#client.call("POST", "/webhooks/fates", { json: fate });
  }

  /**
   * The URL of an inbox, which takes webhooks without a handler: in a fork one of its own.
   *
   * @param {string} name
   */
  inbox(name) {
    return `${this.#client.server.url}/_mock/projects/-/inbox/${name}`;
  }

  /**
   * What came to an inbox, oldest first; `verified` says whether the signature is right.
   *
   * @param {string} name
   * @returns {Promise<Delivery[]>}
   */
  received(name) {
    return this.#client.entries(`/inbox/${name}`);
  }

  /**
   * Sign with a new secret from now on.
   *
   * @returns {Promise<string>}
   */
  async rotateSecret() {
    return (await this.#client.call("POST", "/webhooks/secret")).signingSecret;
  }

  /**
   * Give a delivery to its handler, and report what came of it.
   *
   * @param {Delivery} entry
   * @returns {Promise<Delivery>}
   */
  async #handOver({ id, target, headers, body }) {
    const report = (/** @type {object} */ json) =>
      this.#client.call("POST", `/webhooks/deliveries/${id}/result`, { json });
    const handler = /** @type {WebhookHandler} */ (this.#handlers.get(target));
    try {
      const answer = await handler(new Request(target, { method: "POST", headers, body }));
      if (!(answer instanceof Response)) return await report({ status: answer ?? 200 });
      return await report({ status: answer.status, body: (await answer.text()).slice(0, LONGEST) });
    } catch (error) {
      await report({ error: String(error).slice(0, LONGEST) });
      throw error;
    }
  }
}
