/** The settings of a project: a switch, a choice, a duration or a value each, with what it means and what is wrong. */

import { Refused, call, exactNumber, get, ofProject } from "./api.js";
import { badge, button, fill, h, notify } from "./dom.js";
import { durationOf, readDuration } from "./units.js";

const DURATION = "A duration is such as 7 days, 90 s or 1 h 30 min.";

/** What the OpenAPI document says of a setting. @typedef {any} Schema */

export class Settings {
  /** @param {string} project */
  constructor(project) {
    this.path = ofProject(project, "/settings");
    this.search = h("input", {
      type: "search",
      placeholder: "Find a setting",
      "aria-label": "Find a setting",
    });
    this.search.addEventListener("input", () => this.find());
    this.list = h("div", { class: "settings" });
    this.element = h("div", {}, this.search, this.list);
  }

  /** Show them anew, with what the OpenAPI document of the control API says of them. @param {Promise<any>} described */
  async show(described) {
    const [settings, { components }] = await Promise.all([get(this.path), described]);
    const known = components.schemas.Settings.properties;
    fill(
      this.list,
      Object.keys(settings).map((name) => new Setting(this.path, name, known[name], settings[name]).element),
    );
    this.find();
  }

  /** Show those that have a text. */
  find() {
    const text = this.search.value.toLowerCase();
    for (const each of this.list.children)
      each.toggleAttribute("hidden", !each.textContent?.toLowerCase().includes(text));
  }
}

/** A text with code between backticks. @param {string} text */
function prose(text) {
  return text.split("`").map((part, place) => (place % 2 ? h("code", {}, part) : part));
}

class Setting {
  /** @param {string} path @param {string} name @param {Schema} schema @param {unknown} value */
  constructor(path, name, schema, value) {
    this.path = path;
    this.name = name;
    this.default = "default" in schema ? schema.default : {};
    /** Its type where it is not null. @type {Schema} */
    this.schema = schema.anyOf?.find((/** @type {Schema} */ each) => each.type !== "null") ?? schema;
    this.isNullable = schema.anyOf !== undefined;
    this.isDuration = this.schema.type === "integer" && name.endsWith("_ms");
    this.field = this.makeField();
    this.field.addEventListener("change", () => void this.change(() => this.read()));
    this.problem = h("p", { class: "bad", role: "alert", id: `problem-${name}` });
    this.changed = h("span", {});
    const help = h("p", { class: "dim", id: `help-${name}` }, ...prose(schema.description ?? ""));
    const label = h("label", { class: "mono", for: `setting-${name}` }, name);
    const about = h("div", {}, label, " ", this.changed, help, this.problem);
    this.element = h("div", { class: "setting" }, about, this.field);
    this.set(value);
  }

  /** @returns {HTMLInputElement | HTMLSelectElement} */
  makeField() {
    const { name, schema } = this;
    const attributes = { id: `setting-${name}`, "aria-describedby": `help-${name} problem-${name}` };
    if (schema.type === "boolean") return h("input", { ...attributes, type: "checkbox", role: "switch" });
    if (schema.enum)
      return h(
        "select",
        attributes,
        schema.enum.map((/** @type {string} */ each) => h("option", {}, each)),
      );
    const placeholder = this.isNullable && "not set";
    return h("input", { ...attributes, class: "mono", spellcheck: "false", placeholder });
  }

  /** Whether it is a text, and not a value in JSON. */
  get isText() {
    return this.schema.type === "string";
  }

  /** @param {unknown} value */
  set(value) {
    const { field } = this;
    if (this.schema.type === "boolean") /** @type {HTMLInputElement} */ (field).checked = value === true;
    else field.value = this.textOf(value);
    const isDefault = JSON.stringify(value) === JSON.stringify(this.default);
    const reset = button("default", () => void this.change(() => this.default), {
      class: "plain",
      "aria-label": `Set ${this.name} to its default`,
    });
    fill(this.changed, !isDefault && badge("changed", "cool"), !isDefault && reset);
  }

  /** @param {any} value */
  textOf(value) {
    if (value === null) return "";
    return this.isDuration ? durationOf(value) : this.isText ? value : JSON.stringify(value);
  }

  /** What is in the field; an error says what is wrong with it. @returns {unknown} */
  read() {
    const { field } = this;
    if (this.schema.type === "boolean") return /** @type {HTMLInputElement} */ (field).checked;
    const text = field.value.trim();
    if (this.isNullable && !text) return null;
    if (this.isText) return field.value;
    if (this.schema.type === "integer" && !this.isDuration && /^\d+$/.test(text)) return exactNumber(text);
    if (!this.isDuration) return JSON.parse(text);
    const duration = readDuration(text);
    if (duration === null) throw new SyntaxError(DURATION);
    return duration;
  }

  /** @param {() => unknown} valueOf */
  async change(valueOf) {
    let reason = "";
    try {
      const changed = await call("PUT", this.path, { json: { [this.name]: valueOf() } });
      this.set(changed[this.name]);
      notify(`${this.name} is ${this.textOf(changed[this.name]) || "not set"}`);
    } catch (error) {
      if (error instanceof Refused) reason = error.errors[this.name]?.message ?? error.message;
      else if (error instanceof SyntaxError) reason = error.message;
      else throw error;
    }
    fill(this.problem, reason);
    this.field.setAttribute("aria-invalid", String(reason !== ""));
  }
}
