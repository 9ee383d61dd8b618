/** Webhooks of a project: what was delivered, handlers that take it, and how deliveries end. */
export class MockWebhooks {
    /** @param {ProjectConnection} client */
    constructor(client: ProjectConnection);
    /**
     * Subscribe a URL, or an e-mail address, to topics. A handler gets what `deliver` sends to that URL, of which the
     * host is not looked up.
     *
     * @param {string} target
     * @param {string | readonly string[]} topics
     * @param {WebhookHandler} [handler]
     */
    subscribe(target: string, topics: string | readonly string[], handler?: WebhookHandler): Promise<void>;
    /**
     * The matching deliveries, oldest first.
     *
     * @param {DeliveryFilters} [filters]
     * @returns {Promise<Delivery[]>}
     */
    list(filters?: DeliveryFilters): Promise<Delivery[]>;
    /**
     * Wait for a matching delivery, in real time: the newest. An error after the timeout, five seconds unless given.
     *
     * @param {DeliveryFilters & { timeoutMs?: number }} [filters]
     * @returns {Promise<Delivery>}
     */
    wait({ timeoutMs, ...filters }?: DeliveryFilters & {
        timeoutMs?: number;
    }): Promise<Delivery>;
    /**
     * Send now what waits, or one delivery: those that the handlers of this test got.
     *
     * @param {string} [id]
     * @returns {Promise<Delivery[]>}
     */
    deliver(id?: string): Promise<Delivery[]>;
    /**
     * Deliver again what has ended, with the same body; a handler of this test gets it at once.
     *
     * @param {string} id
     * @returns {Promise<Delivery>}
     */
    redeliver(id: string): Promise<Delivery>;
    /**
     * Set the fate of deliveries to come.
     *
     * @param {DeliveryFate} fate
     */
    fate(fate: DeliveryFate): Promise<any>;
    /**
     * The URL of an inbox, which takes webhooks without a handler: in a fork one of its own.
     *
     * @param {string} name
     */
    inbox(name: string): string;
    /**
     * What came to an inbox, oldest first; `verified` says whether the signature is right.
     *
     * @param {string} name
     * @returns {Promise<Delivery[]>}
     */
    received(name: string): Promise<Delivery[]>;
    /**
     * Sign with a new secret from now on.
     *
     * @returns {Promise<string>}
     */
    rotateSecret(): Promise<string>;
    #private;
}
/**
 * Takes a webhook in the process of the test: a status, a response, or nothing for 200.
 */
export type WebhookHandler = (request: Request) => Response | number | void | Promise<Response | number | void>;
import type { DeliveryFilters } from "./entries.js";
import type { Delivery } from "./entries.js";
import type { DeliveryFate } from "./entries.js";
import type { ProjectConnection } from "./connection.js";
