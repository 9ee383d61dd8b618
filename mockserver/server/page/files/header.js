/** The top of the page: navigation, project, clock, and whether the server is there. */

import { button, fill, h } from "./dom.js";
import { showCalls, showHelp } from "./keys.js";
import { addressOf, currentRoute } from "./route.js";
import { VIEWS } from "./views.js";

const THEMES = ["light dark", "light", "dark"];
const THEME_NAMES = { "light dark": "System", light: "Light", dark: "Dark" };
const STORED = "mockserver-theme";
const CONNECTIONS = { on: "Live", off: "The server does not answer", paused: "Paused while hidden" };

export class Header {
  /** @param {HTMLElement} element */
  constructor(element) {
    this.element = element;
    this.navigation = h("nav", { "aria-label": "Views" });
    this.projects = h("select", { "aria-label": "Project" });
    this.projects.addEventListener(
      "change",
      () => (location.hash = addressOf(this.projects.value, currentRoute().view)),
    );
    this.clock = h("a", { class: "mono", title: "Clock" });
    this.dot = h("span", { class: "dot", role: "img", "aria-label": "Connecting" });
    this.theme = button("Theme", () => this.nextTheme());
    const status = h(
      "div",
      { class: "status" },
      this.clock,
      this.dot,
      this.projects,
      this.theme,
      button("curl", showCalls, { title: "The page's calls as curl (c)" }),
      button("?", showHelp, { "aria-label": "Keys" }),
    );
    fill(element, h("h1", {}, "Mock server"), this.navigation, status);
    this.setTheme(localStorage.getItem(STORED) ?? THEMES[0]);
  }

  /** @param {any[]} projects */
  offer(projects) {
    const chosen = currentRoute().project;
    fill(
      this.projects,
      ...projects.map((each) =>
        h("option", { value: each.id }, each.livemode ? `${each.name} (live)` : each.name),
      ),
    );
    this.projects.value = chosen;
  }

  /** @param {string} project @param {string} current */
  show(project, current) {
    this.project = project;
    this.projects.value = project;
    const links = Object.entries(VIEWS).map(([name, { title }]) => {
      const count = h("span", { class: "count" });
      count.dataset.of = name;
      return h(
        "a",
        { href: addressOf(project, name), "aria-current": name === current && "page" },
        title,
        count,
      );
    });
    fill(this.navigation, ...links);
    this.navigation.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
    this.clock.href = addressOf(project, "clock");
    this.count();
  }

  /** @param {any} event */
  update(event) {
    this.event = event;
    this.count();
    const { now, mode } = event.clock;
    this.clock.textContent = `${now.slice(0, 10)} ${now.slice(11, 19)}`;
    this.clock.title = `The clock is ${mode}`;
  }

  count() {
    if (!this.event) return;
    const { first, last, messages } = this.event;
    const counts = /** @type {Record<string, number>} */ ({
      journal: first ? last - first + 1 : 0,
      outbox: messages,
    });
    for (const [name, count] of Object.entries(counts)) {
      const place = this.navigation.querySelector(`[data-of="${name}"]`);
      if (place) place.textContent = count ? count.toLocaleString("en") : "";
    }
  }

  /** @param {"on" | "off" | "paused"} connection */
  connect(connection) {
    this.dot.className = `dot ${connection}`;
    this.dot.setAttribute("aria-label", CONNECTIONS[connection]);
    this.dot.title = CONNECTIONS[connection];
  }

  nextTheme() {
    const next = THEMES[(THEMES.indexOf(document.documentElement.style.colorScheme) + 1) % THEMES.length];
    localStorage.setItem(STORED, next);
    this.setTheme(next);
  }

  /** @param {string} theme */
  setTheme(theme) {
    const known = /** @type {keyof typeof THEME_NAMES} */ (THEMES.includes(theme) ? theme : THEMES[0]);
    document.documentElement.style.colorScheme = known;
    this.theme.textContent = THEME_NAMES[known];
    this.theme.setAttribute("aria-label", `Colours: ${THEME_NAMES[known]}`);
  }
}
