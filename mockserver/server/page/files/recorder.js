/** The recording of the server: start, stop, download. */

import { call, get } from "./api.js";
import { ask, badge, button, download, fill, h, notify } from "./dom.js";
import { attempt, problemLine } from "./problem.js";
import { countOf } from "./show.js";

export class Recorder {
  constructor() {
    this.problem = problemLine();
    this.state = h("span", { class: "recorder" });
    this.element = h("span", { class: "recorder" }, this.state, this.problem);
  }

  async show() {
    const status = await get("recording/status");
    const has = status.active || status.exchanges > 0;
    const size = `${countOf(status.exchanges, "request")}, ${countOf(status.size, "byte")}`;
    const stop = () => this.change("recording/stop");
    const start = () => this.change("recording");
    const toggle = status.active
      ? button("Stop", () =>
          ask("Stop the recording?", "It can be downloaded, and does not go on.", "Stop", stop),
        )
      : button("Start", () =>
          has
            ? ask("Start a recording?", `The last one is lost: ${size}. Download it first.`, "Start", start)
            : void start(),
        );
    fill(
      this.state,
      h("span", {}, "All calls of this server, with their secrets: "),
      status.active ? badge("recording", "bad") : badge("stopped"),
      has && h("span", { class: "dim" }, size),
      status.failure && badge(status.failure, "bad"),
      toggle,
      has && button("Download", () => void download("recording", "recording.jsonl")),
    );
  }

  /** @param {string} path */
  async change(path) {
    await attempt(this.problem, async () => {
      await call("POST", path);
      notify(path.endsWith("stop") ? "The recording has ended" : "Recording");
    });
    await this.show();
  }
}
