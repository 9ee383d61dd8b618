/**
 * What is new in a project, as events. All tabs of a browser share one stream: the tab that holds a lock reads it and
 * passes on what it reads. A tab that shows another project than that one asks every two seconds.
 */

import { Refused, ofProject } from "./api.js";
import { readEvents } from "./stream.js";

const NAME = "mockserver-events";
const POLL_MS = 2000;
const SILENCE_MS = 400;
const RETRY_MS = 1000;
const GROWING = ["generation", "version", "last"];

/**
 * @typedef {"on" | "anew" | "off" | "gone" | "paused"} Connection `anew` is on, after the server was restarted or the
 *   project made again; `gone` is off because there is no such project
 */

export class Live {
  /** @param {(event: any) => void} onEvent @param {(connection: Connection) => void} onConnection */
  constructor(onEvent, onConnection) {
    this.onEvent = onEvent;
    this.onConnection = onConnection;
    this.project = "";
    /** @type {string | null} */
    this.lastId = null;
    /** The last event, and why there is none now. @type {any} */
    this.latest = null;
    /** @type {"off" | "gone" | null} */
    this.lost = null;
    /** Counts the interruptions: after one nothing of before is known to be still so. */
    this.epoch = 0;
    /** The project that the reading tab reads. */
    this.led = "";
    this.leads = false;
    /** @type {AbortController | null} */
    this.turn = null;
    this.channel = new BroadcastChannel(NAME);
    this.channel.onmessage = ({ data }) => this.hear(data);
    document.addEventListener("visibilitychange", () => (document.hidden ? this.stop() : this.start()));
    addEventListener("pagehide", () => this.stop());
    addEventListener("pageshow", () => this.start());
    setInterval(() => this.poll(), POLL_MS);
  }

  /** Follow another project. @param {string} project */
  follow(project) {
    if (project === this.project) return;
    this.stop();
    this.project = project;
    this.lastId = this.latest = this.lost = null;
    this.start();
  }

  start() {
    if (this.turn || !this.project || document.hidden) return;
    const turn = new AbortController();
    this.turn = turn;
    this.channel.postMessage({ asks: true });
    // Without locks (a page that is not secure, beyond loopback) each tab reads for itself.
    if (!navigator.locks) void this.lead(turn.signal);
    else navigator.locks.request(NAME, { signal: turn.signal }, () => this.lead(turn.signal)).catch(() => {});
    void this.poll();
  }

  stop() {
    this.turn?.abort();
    this.turn = null;
    this.onConnection("paused");
  }

  /** Read until this turn is over, again after each interruption. @param {AbortSignal} signal */
  async lead(signal) {
    if (signal.aborted) return;
    this.leads = true;
    this.channel.postMessage({ leads: this.project });
    while (!signal.aborted) {
      await this.read(signal, (data, id) => {
        this.take(data, id);
        this.channel.postMessage({ project: this.project, data, id });
      });
      if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
    this.leads = false;
  }

  /** Read the stream until it ends. @param {AbortSignal} signal @param {(data: any, id: string) => void} onEvent */
  async read(signal, onEvent) {
    const { project } = this;
    // What was read already when the project changed is of the other one.
    const tell = (/** @type {any} */ data, /** @type {string} */ id) =>
      project === this.project && !signal.aborted && onEvent(data, id);
    try {
      await readEvents(ofProject(project, "/events"), this.lastId, tell, signal);
    } catch (error) {
      if (!signal.aborted && project === this.project) this.lose(error);
    }
  }

  /** @param {any} data @param {string} id */
  take(data, id) {
    const { latest, lost } = this;
    const isAnew = latest && (lost === "gone" || GROWING.some((name) => data[name] < latest[name]));
    if (lost || isAnew) this.epoch += 1;
    this.lastId = id;
    this.latest = data;
    this.lost = null;
    this.onConnection(isAnew ? "anew" : "on");
    this.onEvent({ ...data, generation: `${this.epoch}.${data.generation}` });
  }

  /** Note that nothing can be read. The next event says all, whatever it was. @param {unknown} error */
  lose(error) {
    const status = error instanceof Refused ? error.status : 0;
    // The page asks for the control token, as where a view is refused.
    if (status === 401) return void Promise.reject(error);
    this.suffer(status === 404 ? "gone" : "off");
    if (this.leads) this.channel.postMessage({ project: this.project, lost: this.lost });
  }

  /** @param {"off" | "gone"} lost */
  suffer(lost) {
    this.lost = lost;
    this.lastId = null;
    this.onConnection(lost);
  }

  /** @param {any} message */
  hear(message) {
    if (message.asks && this.leads) {
      this.channel.postMessage({ leads: this.project });
      if (this.lost) this.channel.postMessage({ project: this.project, lost: this.lost });
    } else if (message.leads !== undefined) {
      this.led = message.leads;
      if (this.led === this.project && this.turn && this.latest && !this.lost) this.onConnection("on");
    } else if (message.project === this.project && this.turn) {
      if (message.lost) this.suffer(message.lost);
      else this.take(message.data, message.id);
    }
  }

  /** Ask once, where no other tab reads this project: the first event says all. */
  async poll() {
    if (!this.turn || this.leads || (this.led === this.project && (this.lastId || this.lost))) return;
    const once = new AbortController();
    const silence = setTimeout(() => once.abort(), SILENCE_MS);
    await this.read(once.signal, (data, id) => {
      once.abort();
      if (this.turn) this.take(data, id);
    });
    clearTimeout(silence);
  }
}
