/** The editor of scenarios: CodeMirror, which is loaded when it is first opened. */

import { call, get } from "./api.js";
import { completionsAt } from "./completion.js";
import { h } from "./dom.js";

const BUNDLE = "./codemirror.js";
const LINT_MS = 300;

/** @typedef {{ severity: string, line: number, column: number, message: string, nearest: string | null }} Finding */

const THEME = {
  "&": { height: "100%", color: "var(--text)", backgroundColor: "var(--page)", fontSize: "13px" },
  "&.cm-focused": { outline: "2px solid var(--accent)" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5" },
  ".cm-content": { caretColor: "var(--text)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": {
    color: "var(--dim)",
    backgroundColor: "var(--raised)",
    borderRight: "1px solid var(--line)",
  },
  ".cm-tooltip": { color: "var(--text)", backgroundColor: "var(--raised)", border: "1px solid var(--line)" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { color: "var(--text)", background: "var(--chosen)" },
  ".cm-completionInfo": { maxWidth: "320px", padding: "6px 8px" },
  ".cm-placeholder": { color: "var(--dim)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    background: "var(--chosen)",
  },
};

export class Editor {
  /**
   * @param {any} library the bundle
   * @param {any} schema
   * @param {string} text
   * @param {string} hint
   */
  constructor(library, schema, text, hint) {
    this.library = library;
    this.element = h("div", { class: "editor" });
    // In a shadow root its style sheets are adopted ones, which need no exception from the content policy.
    const root = this.element.attachShadow({ mode: "open" });
    const { EditorState, EditorView } = library;
    const state = EditorState.create({ doc: text, extensions: this.extensions(schema, hint) });
    this.view = new EditorView({ state, parent: root, root });
  }

  /** @param {any} schema @param {string} hint */
  extensions(schema, hint) {
    const cm = this.library;
    const source = (/** @type {any} */ context) => {
      // Not in a comment.
      if (context.matchBefore(/(^|\s)#.*/)) return null;
      const { from, options } = completionsAt(schema, context.state.doc.toString(), context.pos);
      const isAsked = context.explicit || from < context.pos || /: $/.test(context.state.sliceDoc(0, from));
      return isAsked && options.length ? { from, options, validFor: /^[\w.$-]*$/ } : null;
    };
    return [
      cm.lineNumbers(),
      cm.history(),
      cm.drawSelection(),
      cm.closeBrackets(),
      cm.indentUnit.of("  "),
      cm.yaml(),
      cm.syntaxHighlighting(highlighting(cm)),
      cm.autocompletion({ override: [source] }),
      cm.lintGutter(),
      cm.linter((/** @type {any} */ view) => this.lint(view), { delay: LINT_MS }),
      cm.placeholder(hint),
      cm.keymap.of([...cm.completionKeymap, ...cm.lintKeymap, ...cm.defaultKeymap, ...cm.historyKeymap]),
      cm.EditorView.lineWrapping,
      cm.EditorView.contentAttributes.of({ "aria-label": "Text of a scenario", spellcheck: "false" }),
      cm.EditorView.theme(THEME),
    ];
  }

  /** What `mockserver validate` says of each line, underlined there. @param {any} view */
  async lint(view) {
    const { doc } = view.state;
    if (!doc.length) return [];
    const { findings } = await call("POST", "scenarios/check", { yaml: doc.toString() });
    return findings.map((/** @type {Finding} */ finding) => {
      const line = doc.line(Math.min(Math.max(finding.line, 1), doc.lines));
      const from = Math.min(line.from + finding.column - 1, line.to);
      return { from, to: line.to, severity: finding.severity, message: describe(finding) };
    });
  }

  get text() {
    return this.view.state.doc.toString();
  }

  focus() {
    this.view.focus();
  }

  /** Select a line. @param {number} number */
  showLine(number) {
    const line = this.view.state.doc.line(Math.min(Math.max(number, 1), this.view.state.doc.lines));
    this.view.dispatch({ selection: { anchor: line.from, head: line.to }, scrollIntoView: true });
    this.focus();
  }

  dispose() {
    this.view.destroy();
  }
}

/** @param {string} text @param {string} hint */
export async function openEditor(text, hint) {
  const [library, schema] = await Promise.all([import(BUNDLE), get("scenario.schema.json")]);
  return new Editor(library, schema, text, hint);
}

/** @param {Finding} finding */
export function describe(finding) {
  return `${finding.message}${finding.nearest ? ` (did you mean ${finding.nearest}?)` : ""}`;
}

/** @param {any} cm */
function highlighting({ HighlightStyle, tags }) {
  return HighlightStyle.define([
    { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--accent)" },
    { tag: [tags.string, tags.content], color: "var(--good)" },
    { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: "var(--cool)" },
    { tag: tags.comment, color: "var(--dim)" },
  ]);
}
