/**
 * Where in a YAML text a place is: the path of keys that leads there, by indentation and, in its line, by braces.
 *
 * @typedef {{
 *   path: (string | number)[],
 *   isKey: boolean,
 *   isValue: boolean,
 *   from: number,
 *   beside: Set<string>,
 * }} Place `beside` are the keys above that are there already
 */

const LINE = /^( *)((?:- +)*)(.*)$/;
const KEY = /^("[^"]*"|'[^']*'|[^\s"'{}[\],#&*!|>%@-][^{}[\],:]*?|-[^\s,:]+) *:(?: +(.*)|$)/;
const TYPED = /[^\s{}[\],:"']*$/;

/** @param {string} text @param {number} place @returns {Place} */
export function placeIn(text, place) {
  const lines = text.slice(0, place).split("\n");
  const line = split(lines.pop() ?? "");
  const from = place - (TYPED.exec(line.rest)?.[0].length ?? 0);
  const { path, beside } = parents(lines, line);
  if (line.key === null) {
    const flow = inFlow(line.rest);
    return { ...flow, path: [...path, ...flow.path], isKey: flow.isKey || !flow.path.length, from, beside };
  }
  const flow = inFlow(line.value);
  const isFlow = flow.path.length > 0 || flow.isKey;
  const found = [...path, line.key, ...flow.path];
  return { path: found, isKey: flow.isKey, isValue: !isFlow || flow.isValue, from, beside: new Set() };
}

/** @param {string} line */
function split(line) {
  const [, indent = "", dashes = "", rest = ""] = LINE.exec(line) ?? [];
  const [, key = null, value = ""] = KEY.exec(rest) ?? [];
  const column = indent.length + dashes.length;
  return { indent: indent.length, dashes, rest, key: key === null ? null : unquote(key), value, column };
}

/** The keys that a line is below of. @param {string[]} above @param {ReturnType<typeof split>} line */
function parents(above, line) {
  /** @type {(string | number)[]} */
  const path = [];
  /** @type {Set<string>} */
  const beside = new Set();
  let { column: limit } = line;
  let isBelowDash = false;
  const leaveDashes = (/** @type {ReturnType<typeof split>} */ each) => {
    for (let dash = each.dashes.lastIndexOf("-"); dash >= 0; dash = each.dashes.lastIndexOf("-", dash - 1)) {
      if (each.indent + dash < limit) {
        path.unshift(0);
        limit = each.indent + dash;
        isBelowDash = true;
      }
      if (!dash) break;
    }
  };
  leaveDashes(line);
  for (const text of above.reverse()) {
    const each = split(text);
    if (!each.rest || each.rest.startsWith("#")) continue;
    const isParent = each.column < limit || (isBelowDash && each.column === limit && !each.dashes);
    if (each.key !== null && isParent) {
      path.unshift(each.key);
      limit = each.column;
      isBelowDash = false;
    } else if (each.key !== null && each.column === limit && !path.length) {
      beside.add(each.key);
    }
    leaveDashes(each);
  }
  return { path, beside };
}

/** Where the end of a value is within its braces and brackets. @param {string} text */
function inFlow(text) {
  /** @type {{ isList: boolean, key: string | null }[]} */
  const open = [];
  let word = "";
  for (const [part] of text.matchAll(/"[^"]*"|'[^']*'|[{}[\],]|: |[^{}[\],:"']+|./g)) {
    const innermost = open.at(-1);
    if (part === "{" || part === "[") open.push({ isList: part === "[", key: null });
    else if (part === "}" || part === "]") open.pop();
    else if (part === "," && innermost) innermost.key = null;
    else if (part === ": " && innermost && !innermost.isList) innermost.key = unquote(word.trim());
    else word = part;
  }
  const innermost = open.at(-1);
  const steps = open.map((each) => (each.isList ? 0 : each.key));
  const path = steps.filter((step) => step !== null);
  const isKey = innermost !== undefined && !innermost.isList && innermost.key === null;
  return { path, isKey, isValue: !isKey };
}

/** @param {string} text */
function unquote(text) {
  return /^(["']).*\1$/.test(text) ? text.slice(1, -1) : text;
}
