/** The clock: what it shows, buttons that move it, and the timers that fired when they did. */

import { call, get, ofProject } from "./api.js";
import { button, facts, fill, h, notify, table } from "./dom.js";
import { firedTable } from "./effects.js";
import { attempt, problemLine } from "./problem.js";
import { addressOf } from "./route.js";
import { linked, momentOf } from "./show.js";
import { View } from "./view.js";

const STEPS = /** @type {[string, number][]} */ ([
  ["+1 s", 1],
  ["+10 s", 10],
  ["+1 min", 60],
  ["+10 min", 600],
  ["+1 h", 3600],
  ["+1 day", 86_400],
  ["+30 days", 2_592_000],
]);

const MOST_NEXT = 20;

export class ClockView extends View {
  /** @param {import("./main.js").Context} context */
  constructor(context) {
    super();
    this.path = ofProject(context.project, "/clock");
    this.timers = ofProject(context.project, "/timers");
    this.now = h("p", { class: "now mono" });
    this.state = h("div", {});
    this.problem = problemLine();
    this.next = h("div", {});
    this.moves = h("div", { class: "moves", "aria-live": "polite" });
    this.element = h(
      "div",
      { class: "scroll" },
      h("h2", {}, "Clock"),
      this.now,
      this.state,
      h(
        "div",
        { class: "buttons", role: "group", "aria-label": "Advance" },
        STEPS.map(([label, seconds]) => button(label, () => this.advance({ seconds }))),
      ),
      this.forms(),
      this.problem,
      h("h2", {}, "What fired"),
      this.moves,
      h("h2", {}, "What fires next"),
      this.next,
    );
    const timeline = h("a", { href: addressOf(context.project, "timeline") }, "timeline");
    fill(
      this.moves,
      h("p", { class: "dim" }, "Nothing yet. Time only goes forward; the ", timeline, " leads back."),
    );
  }

  forms() {
    const to = h("input", { placeholder: "2026-01-31T12:00:00Z", "aria-label": "Advance to", class: "mono" });
    const rate = h("input", {
      type: "number",
      min: "0.1",
      step: "any",
      value: "1",
      "aria-label": "Rate",
      class: "short",
    });
    const form = (
      /** @type {HTMLElement[]} */ fields,
      /** @type {string} */ label,
      /** @type {() => void} */ submit,
    ) =>
      h(
        "form",
        { on: { submit: (event) => (event.preventDefault(), submit()) } },
        ...fields,
        h("button", {}, label),
      );
    return h(
      "div",
      { class: "buttons" },
      form([to], "Advance to", () => this.advance({ to: to.value })),
      form([rate], "Tick at this rate", () => this.set({ mode: "ticking", rate: Number(rate.value) })),
      button("Freeze", () => this.set({ mode: "frozen" })),
    );
  }

  /** @param {any} event */
  update(event) {
    const { now, mode, rate } = event.clock;
    this.shown = { now, mode, rate, at: performance.now() };
    clearInterval(this.ticking);
    // What is known of a project that is gone goes on no more.
    if (mode === "ticking") this.ticking = setInterval(() => this.now.closest(".stale") ?? this.tick(), 250);
    this.tick();
    void this.refresh();
    fill(
      this.state,
      facts([
        ["Mode", mode],
        ["Rate", mode === "ticking" && `${rate} × real time`],
      ]),
    );
  }

  async reload() {
    const { data, total } = await get(this.timers, { limit: MOST_NEXT });
    const lines = data.map((/** @type {any} */ timer) => [
      momentOf(timer.due),
      timer.event,
      h("span", { class: "mono" }, ...linked(timer.id)),
    ]);
    fill(
      this.next,
      total ? table(["Due", "Event", "Of"], lines) : h("p", { class: "dim" }, "No timer is set."),
      total > MOST_NEXT && h("p", { class: "dim" }, `and ${total - MOST_NEXT} more`),
    );
  }

  /** Show the time; a ticking clock goes on by itself between two events. */
  tick() {
    if (!this.shown) return;
    const { now, mode, rate, at } = this.shown;
    const passed = mode === "ticking" ? (performance.now() - at) * rate : 0;
    fill(this.now, momentOf(new Date(Date.parse(now) + passed).toISOString()));
  }

  /** @param {{ seconds?: number, to?: string }} json */
  async advance(json) {
    const moved = await attempt(this.problem, () => call("POST", `${this.path}/advance`, { json }));
    if (!moved) return;
    if (this.moves.querySelector("p.dim")) this.moves.replaceChildren();
    const { fired } = moved;
    const line = h(
      "p",
      {},
      "To ",
      momentOf(moved.now),
      h("span", { class: "dim" }, fired.length ? `: ${fired.length} fired` : ": nothing fired"),
    );
    this.moves.prepend(h("section", {}, line, fired.length > 0 && firedTable(fired)));
  }

  /** @param {Record<string, unknown>} json */
  async set(json) {
    const clock = await attempt(this.problem, () => call("PUT", this.path, { json }));
    if (clock) notify(`The clock is ${clock.mode}`);
  }

  dispose() {
    clearInterval(this.ticking);
  }
}
