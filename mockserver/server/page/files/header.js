/** The top of the page: navigation, project, clock, and whether the server is there. */

import { button, fill, h } from "./dom.js";
import { showCalls, showHelp } from "./keys.js";
import { addressOf, currentRoute } from "./route.js";
import { VIEWS } from "./views.js";

const THEMES = ["light dark", "light", "dark"];
const THEME_NAMES = { "light dark": "System", light: "Light", dark: "Dark" };
const STORED = "mockserver-theme";
const CONNECTIONS = {
  on: "Live",
  anew: "Live",
  off: "The server does not answer",
  gone: "This project is gone",
  paused: "Paused while hidden",
};

export class Header {
  /** @param {HTMLElement} element */
  constructor(element) {
    this.element = element;
    this.navigation = h("nav", { "aria-label": "Views", id: "views" });
    this.menu = button("Views", () => this.open(!this.element.classList.contains("open")), {
      class: "menu",
      "aria-controls": "views",
    });
    this.projects = h("select", { "aria-label": "Project" });
    this.projects.addEventListener(
      "change",
      () => (location.hash = addressOf(this.projects.value, currentRoute().view)),
    );
    this.clock = h("a", { class: "mono", title: "Clock" });
    this.dot = h("span", { class: "dot", role: "img", "aria-label": "Connecting" });
    this.theme = button("Theme", () => this.nextTheme());
    const tools = h(
      "div",
      { class: "tools" },
      this.theme,
      button("curl", showCalls, { title: "The page's calls as curl (c)" }),
      button("?", showHelp, { "aria-label": "Keys" }),
    );
    const title = h("h1", {}, "Mock server");
    fill(element, title, this.menu, this.projects, this.dot, this.clock, tools, this.navigation);
    this.open(false);
    this.setTheme(localStorage.getItem(STORED) ?? THEMES[0]);
  }

  /** Open or close what a phone has no room for. @param {boolean} isOpen */
  open(isOpen) {
    this.element.classList.toggle("open", isOpen);
    this.menu.setAttribute("aria-expanded", String(isOpen));
  }

  /** @param {any[]} projects */
  offer(projects) {
    const chosen = currentRoute().project;
    const isGone = !projects.some((each) => each.id === chosen);
    fill(
      this.projects,
      isGone && h("option", { value: chosen }, "(gone)"),
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
    this.menu.textContent = VIEWS[current].title;
    this.open(false);
    this.count();
  }

  /** @param {any} event null while nothing is known of the project */
  update(event) {
    this.event = event;
    this.count();
    this.clock.textContent = event && `${event.clock.now.slice(0, 10)} ${event.clock.now.slice(11, 19)}`;
    this.clock.title = event ? `The clock is ${event.clock.mode}` : "Clock";
  }

  count() {
    const { exchanges, messages } = this.event ?? {};
    const counts = /** @type {Record<string, number>} */ ({ journal: exchanges, outbox: messages });
    for (const [name, count] of Object.entries(counts)) {
      const place = this.navigation.querySelector(`[data-of="${name}"]`);
      if (place) place.textContent = count ? count.toLocaleString("en") : "";
    }
  }

  /** @param {import("./live.js").Connection} connection */
  connect(connection) {
    this.dot.className = `dot ${connection === "anew" ? "on" : connection === "gone" ? "off" : connection}`;
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
