/**
 * `frozen`, `ticking`, `now` (ticking from the real time), a time to freeze at; or the members of the control API.
 *
 * @typedef {string | Date | Schemas["SetClock"]} ClockStart
 */
/**
 * How a project's clock begins, as the control API takes it. `frozen` and `ticking` begin at the documented time, on any
 * server.
 *
 * @param {ClockStart} start
 * @returns {object}
 */
export function readClock(start: ClockStart): object;
/** The clock of a project. */
export class MockClock {
    /** @param {ProjectConnection} client */
    constructor(client: ProjectConnection);
    /**
     * The time, as ISO 8601.
     *
     * @returns {Promise<string>}
     */
    now(): Promise<string>;
    /** The time in whole seconds since 1970, as the API writes most times. */
    nowS(): Promise<number>;
    /**
     * Advance by seconds, such as `advance(3600)`, or to a time; the timers that fired, in order.
     *
     * @param {number | { to: string | Date }} step
     * @returns {Promise<Fired[]>}
     */
    advance(step: number | {
        to: string | Date;
    }): Promise<Fired[]>;
    /**
     * Freeze the clock, now or at a later time.
     *
     * @param {string | Date} [at]
     */
    freeze(at?: string | Date): Promise<void>;
    /** Follow real time, `rate` times as fast. */
    tick(rate?: number): Promise<void>;
    #private;
}
/**
 * `frozen`, `ticking`, `now` (ticking from the real time), a time to freeze at; or the members of the control API.
 */
export type ClockStart = string | Date | Schemas["SetClock"];
import type { Fired } from "./entries.js";
import type { ProjectConnection } from "./connection.js";
import type { Schemas } from "./entries.js";
