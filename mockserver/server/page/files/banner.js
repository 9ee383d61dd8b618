/** What the page cannot show any more, and where that leads: above the view, until it is otherwise. */

import { button, fill, h } from "./dom.js";
import { addressOf } from "./route.js";

const MOST_LINKS = 5;

export class Banner {
  constructor() {
    this.element = h("div", { id: "banner", role: "alert", hidden: true });
    /** When the last event came, in real time. */
    this.seen = "";
  }

  /** @param {import("./live.js").Connection} connection @param {string} project @param {any[]} projects those that there are */
  show(connection, project, projects) {
    if (connection === "on") {
      this.seen = new Date().toLocaleTimeString();
      if (this.isLost) this.hide();
    } else if (connection === "off") {
      const since = this.seen && ` What you see is as it was at ${this.seen}.`;
      this.say(true, `The server does not answer.${since} The page goes on as soon as it does.`);
    } else if (connection === "gone") {
      const others = projects.filter((each) => each.id !== project).slice(0, MOST_LINKS);
      this.say(
        true,
        "This project is gone: it was deleted, or the server was restarted. ",
        others.length
          ? ["Show ", ...others.flatMap((each) => [link(each), " "])]
          : "The server has no other one. The next request with a test key makes one.",
      );
    } else if (connection === "anew") {
      this.say(
        false,
        "The server was restarted, or this project was made again. What you see is what it holds now. ",
        button("OK", () => this.hide()),
      );
    }
  }

  /** @param {boolean} isLost @param {...import("./dom.js").Child | import("./dom.js").Child[]} content */
  say(isLost, ...content) {
    this.isLost = isLost;
    this.element.hidden = false;
    fill(this.element, ...content);
  }

  hide() {
    this.isLost = false;
    this.element.hidden = true;
  }
}

/** @param {any} project */
function link(project) {
  return h("a", { href: addressOf(project.id, "journal") }, project.name);
}
