/** Scenarios: which of their rules fired and which did not, and loading one by pasting it. */

import { Refused, call, get, ofProject } from "./api.js";
import { ask, badge, button, fill, h, notify, table } from "./dom.js";
import { describe, openEditor } from "./editor.js";
import { addressOf, changeParams } from "./route.js";
import { countOf } from "./show.js";
import { View } from "./view.js";

/** Where the tab keeps what was written last, by project: another view may be looked at, or the page loaded anew. */
const DRAFT = "mockserver-draft:";

const EXAMPLE = "name: outage\nrules:\n  - when: GetContracts\n    then: {answer: 503}";

export class ScenariosView extends View {
  /** @param {import("./main.js").Context} context */
  constructor(context) {
    super();
    this.context = context;
    this.path = ofProject(context.project, "/scenarios");
    this.state = h("p", {});
    this.loaded = h("div", {});
    this.findings = h("div", { role: "alert" });
    /** @type {import("./editor.js").Editor | null} */
    this.editor = null;
    this.text = h("textarea", {
      rows: 14,
      class: "mono",
      spellcheck: "false",
      "aria-label": "Text of a scenario",
      placeholder: EXAMPLE,
    });
    this.text.value = sessionStorage.getItem(DRAFT + context.project) ?? "";
    this.keep = () => {
      try {
        sessionStorage.setItem(DRAFT + context.project, this.written);
      } catch {
        // It is more than a browser keeps: other views open all the same.
      }
    };
    addEventListener("pagehide", this.keep);
    this.writing = h("div", { class: "writing" }, this.text);
    this.opener = button("Open the editor", () => void this.edit(this.text.value));
    this.element = h(
      "div",
      { class: "scroll" },
      h("h2", {}, "Loaded scenarios"),
      this.state,
      this.loaded,
      h("h2", {}, "Load a scenario"),
      h(
        "div",
        { class: "paste" },
        this.writing,
        this.findings,
        h(
          "p",
          { class: "buttons" },
          button("Load", () => this.load(), { class: "main" }),
          this.opener,
        ),
      ),
    );
    if (context.params.get("edit") === "true") void this.edit(this.text.value);
  }

  /** Write a scenario in the editor, which is loaded now. @param {string} text */
  async edit(text) {
    const editor = await openEditor(text, EXAMPLE);
    this.editor?.dispose();
    this.editor = editor;
    this.opener.hidden = true;
    this.findings.replaceChildren();
    fill(this.writing, editor.element);
    if (!this.element.isConnected) return;
    changeParams({ edit: true });
    editor.focus();
  }

  /** What is to be loaded. */
  get written() {
    return this.editor?.text ?? this.text.value;
  }

  /** @param {any} event */
  update(event) {
    fill(this.state, "State: ", badge(event.state));
    super.update(event);
  }

  /** @param {any} event */
  stateOf(event) {
    return `${event.generation} ${event.version} ${event.last} ${event.scenarios} ${event.state}`;
  }

  async reload() {
    const { data } = await get(this.path, { limit: 1000, order: "desc" });
    fill(
      this.loaded,
      data.length
        ? data.map((/** @type {any} */ each) => this.scenario(each))
        : h("p", { class: "dim" }, "None."),
    );
  }

  /** @param {any} scenario */
  scenario(scenario) {
    const rows = scenario.rules.map((/** @type {any} */ rule) => this.rule(rule));
    const act = (
      /** @type {string} */ label,
      /** @type {string} */ name,
      /** @type {() => void} */ run,
      kind = "",
    ) => button(label, run, { "aria-label": `${name} ${scenario.name}`, class: kind });
    const unload = () => {
      const text = "Its rules and their counts are gone. What it created and set stays.";
      ask(`Unload ${scenario.name}?`, text, "Unload", () => this.unload(scenario.id));
    };
    const edit = () => {
      const text = "What is written below, and not loaded, is replaced.";
      if (!this.written.trim() || this.written === scenario.text) void this.edit(scenario.text);
      else ask(`Edit a copy of ${scenario.name}?`, text, "Replace it", () => this.edit(scenario.text));
    };
    return h(
      "section",
      { class: "scenario" },
      h(
        "div",
        { class: "actions" },
        act("Edit a copy", "Edit a copy of", edit),
        act("Unload", "Unload", unload, "risky"),
      ),
      h("h3", {}, scenario.name),
      rows.length
        ? table(["Rule", "Matched", "Took effect"], rows)
        : h("p", { class: "dim" }, "It has no rules."),
      h("details", {}, h("summary", {}, "Text"), h("pre", { class: "body", tabindex: 0 }, scenario.text)),
    );
  }

  /** @param {string} id */
  async unload(id) {
    await call("DELETE", `${this.path}/${encodeURIComponent(id)}`);
    await this.refresh();
  }

  /** @param {any} rule */
  rule(rule) {
    const isMeant = rule.name === this.context.params.get("rule");
    const fired = rule.fired
      ? badge(`fired ${rule.fired} times`.replace(/ 1 times$/, " once"), "good")
      : badge("did not fire", "warn");
    const href = addressOf(this.context.project, "journal", { rule: rule.name });
    return [h("a", { href, class: isMeant && "meant" }, rule.name), countOf(rule.met, "call"), fired];
  }

  async load() {
    this.findings.replaceChildren();
    try {
      const made = await call("POST", this.path, { yaml: this.written });
      notify(`${made.name} is loaded`);
      await this.refresh();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.explain(error);
    }
  }

  /** Show each finding at its line; a click leads to it. @param {Refused} error */
  explain(error) {
    const found = Object.values(error.errors);
    const lines = this.written.split("\n");
    const entries = found.map((each) =>
      h(
        "li",
        {},
        button(`${each.line}:${each.column}`, () => this.show(each.line, lines), {
          class: "plain mono",
          "aria-label": `Show line ${each.line}`,
        }),
        ` ${describe(each)}`,
        h(
          "pre",
          { class: "line" },
          `${lines[each.line - 1] ?? ""}\n${" ".repeat(Math.max(0, each.column - 1))}^`,
        ),
      ),
    );
    fill(
      this.findings,
      found.length ? h("ul", { class: "findings" }, entries) : h("p", { class: "badge bad" }, error.message),
    );
  }

  /** @param {number} line @param {string[]} lines */
  show(line, lines) {
    if (this.editor) return this.editor.showLine(line);
    const start = lines.slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
    this.text.focus();
    this.text.setSelectionRange(start, start + (lines[line - 1] ?? "").length);
  }

  dispose() {
    this.keep();
    removeEventListener("pagehide", this.keep);
    this.editor?.dispose();
  }
}
