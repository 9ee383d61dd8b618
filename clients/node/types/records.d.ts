/** E-mails and text messages that the real service would have sent. */
export class MockOutbox {
    /** @param {ProjectConnection} client */
    constructor(client: ProjectConnection);
    /**
     * The matching messages, oldest first.
     *
     * @param {OutboxFilters} [filters]
     * @returns {Promise<Message[]>}
     */
    list(filters?: OutboxFilters): Promise<Message[]>;
    /**
     * The newest matching message: `code`, `url`, `text` and so on. An error without one.
     *
     * @param {OutboxFilters} [filters]
     * @returns {Promise<Message>}
     */
    latest(filters?: OutboxFilters): Promise<Message>;
    /**
     * Wait for a matching message, in real time: the newest. An error after the timeout, five seconds unless given.
     *
     * @param {OutboxFilters & { timeoutMs?: number }} [filters]
     * @returns {Promise<Message>}
     */
    wait({ timeoutMs, ...filters }?: OutboxFilters & {
        timeoutMs?: number;
    }): Promise<Message>;
    /** Delete every message; their codes and links stay valid. */
    clear(): Promise<void>;
    #private;
}
/** Every exchange in order, with the secrets masked. */
export class MockJournal {
    /** @param {ProjectConnection} client */
    constructor(client: ProjectConnection);
    /**
     * The matching exchanges, oldest first unless `order` is `desc`.
     *
     * `status` is a number or a class such as `4xx`, `path` a prefix or a pattern with `*`, `since` the number of an
     * exchange that is earlier; `matched: false` are the calls that no rule decided about.
     *
     * @param {JournalFilters} [filters]
     * @returns {Promise<WholeExchange[]>}
     */
    list(filters?: JournalFilters): Promise<WholeExchange[]>;
    /**
     * Wait for an exchange that matches as in `list`, in real time: the first. An error after the timeout, five seconds
     * unless given.
     *
     * @param {JournalFilters & { timeoutMs?: number }} [filters]
     * @returns {Promise<WholeExchange>}
     */
    wait({ timeoutMs, ...filters }?: JournalFilters & {
        timeoutMs?: number;
    }): Promise<WholeExchange>;
    /** How many exchanges it holds. */
    count(): Promise<number>;
    /** The number of the latest exchange, for `since`; 0 without one. */
    lastNumber(): Promise<number>;
    /** Delete every exchange; numbers are not used again. */
    clear(): Promise<void>;
    #private;
}
import type { OutboxFilters } from "./entries.js";
import type { Message } from "./entries.js";
import type { ProjectConnection } from "./connection.js";
import type { JournalFilters } from "./entries.js";
import type { WholeExchange } from "./entries.js";
