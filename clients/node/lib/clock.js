/** @import { ProjectConnection } from "./connection.js" */
/** @import { Fired, Schemas } from "./entries.js" */

const BEGINNING = "2026-01-01T00:00:00.000Z";
const WORDS = "frozen, ticking, now, or a time such as 2026-01-31T12:00:00Z";

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
export function readClock(start) {
  if (start === "frozen" || start === "ticking") return { mode: start, now: BEGINNING };
  if (start === "now") return { mode: "ticking", now: new Date().toISOString() };
  if (typeof start !== "string" && !(start instanceof Date)) return start;
  if (Number.isNaN(+new Date(start))) throw new TypeError(`${JSON.stringify(start)} is no clock: ${WORDS}`);
  return { mode: "frozen", now: format(start) };
}

/** The clock of a project. */
export class MockClock {
  #client;

  /** @param {ProjectConnection} client */
  constructor(client) {
    this.#client = client;
  }

  /**
   * The time, as ISO 8601.
   *
   * @returns {Promise<string>}
   */
  async now() {
    return (await this.#client.call("GET", "/clock")).now;
  }

  /** The time in whole seconds since 1970, as the API writes most times. */
  async nowS() {
    return Math.floor(Date.parse(await this.now()) / 1000);
  }

  /**
   * Advance by seconds, such as `advance(3600)`, or to a time; the timers that fired, in order.
   *
   * @param {number | { to: string | Date }} step
   * @returns {Promise<Fired[]>}
   */
  async advance(step) {
    return (await this.#client.call("POST", "/clock/advance", { json: readStep(step) })).fired;
  }

  /**
   * Freeze the clock, now or at a later time.
   *
   * @param {string | Date} [at]
   */
  async freeze(at) {
    await this.#client.call("PUT", "/clock", { json: { mode: "frozen", now: at && format(at) } });
  }

  /** Follow real time, `rate` times as fast. */
  async tick(rate = 1) {
    await this.#client.call("PUT", "/clock", { json: { mode: "ticking", rate } });
  }
}

/** @param {number | { to: string | Date }} step */
function readStep(step) {
  if (typeof step === "number") return { seconds: step };
  if (step instanceof Object && "to" in step) return { to: format(step.to) };
  const takes = 'seconds, such as 3600, or a time, such as { to: "2026-01-31T12:00:00Z" }';
  throw new TypeError(`advance takes ${takes}, not ${JSON.stringify(step)}`);
}

/** @param {string | Date} moment */
function format(moment) {
  return moment instanceof Date ? moment.toISOString() : moment;
}
