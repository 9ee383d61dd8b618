/**
 * What is new in a project, as events. All tabs of a browser share one stream: the tab that holds a lock reads it and
 * passes on what it reads. A tab that shows another project than that one asks every two seconds.
 */

import { ofProject } from "./api.js";
import { readEvents } from "./stream.js";

const NAME = "mockserver-events";
const POLL_MS = 2000;
const SILENCE_MS = 400;
const RETRY_MS = 1000;

/** @typedef {"on" | "off" | "paused"} Connection */

export class Live {
  /** @param {(event: any) => void} onEvent @param {(connection: Connection) => void} onConnection */
  constructor(onEvent, onConnection) {
    this.onEvent = onEvent;
    this.onConnection = onConnection;
    this.project = "";
    /** @type {string | null} */
    this.lastId = null;
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
    this.lastId = null;
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
      try {
        await readEvents(this.path, this.lastId, (data, id) => this.tell(data, id), signal);
      } catch {
        if (!signal.aborted) this.onConnection("off");
      }
      if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
    this.leads = false;
  }

  get path() {
    return ofProject(this.project, "/events");
  }

  /** @param {any} data @param {string} id */
  tell(data, id) {
    this.take(data, id);
    this.channel.postMessage({ project: this.project, data, id });
  }

  /** @param {any} data @param {string} id */
  take(data, id) {
    this.lastId = id;
    this.onConnection("on");
    this.onEvent(data);
  }

  /** @param {any} message */
  hear(message) {
    if (message.asks && this.leads) {
      this.channel.postMessage({ leads: this.project });
    } else if (message.leads !== undefined) {
      this.led = message.leads;
      if (this.led === this.project && this.turn) this.onConnection("on");
    } else if (message.project === this.project && this.turn) {
      this.take(message.data, message.id);
    }
  }

  /** Ask once, where no other tab reads this project: the first event says all. */
  async poll() {
    if (!this.turn || this.leads || (this.led === this.project && this.lastId)) return;
    const once = new AbortController();
    const silence = setTimeout(() => once.abort(), SILENCE_MS);
    const { turn, project } = this;
    try {
      const onEvent = (/** @type {any} */ data, /** @type {string} */ id) => {
        once.abort();
        if (turn === this.turn && project === this.project) this.take(data, id);
      };
      await readEvents(this.path, this.lastId, onEvent, once.signal);
    } catch (error) {
      if (!once.signal.aborted) this.onConnection("off");
    } finally {
      clearTimeout(silence);
    }
  }
}
