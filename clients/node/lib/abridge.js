// Bodies cut to what tells something, for the report of a failed test.

const LISTED = 3;
const MEMBERS = 16;
const LONGEST_TEXT = 120;
const SHOWN_TEXT = 48;
const LONGEST = 700;
const CUT = "…";
/** Members that are shown however many others there are. */
const TELLING = new Set(["code", "error", "errors", "id", "message", "param", "reason", "status", "type"]);
const ABI_KINDS = ["constructor", "error", "event", "fallback", "function", "receive"];

/**
 * A body as one line of JSON: long lists, texts and ABIs cut, and how much of them was left out.
 *
 * @param {unknown} body
 */
export function abridge(body) {
  const text = JSON.stringify(cut(body));
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}${CUT} (${text.length} characters)`;
}

/**
 * @param {unknown} value
 * @returns {unknown}
 */
function cut(value) {
  if (typeof value === "string") return cutText(value);
  if (Array.isArray(value)) return cutList(value);
  if (typeof value === "object" && value !== null)
    return cutMembers(/** @type {Record<string, unknown>} */ (value));
  return value;
}

/** @param {string} text */
function cutText(text) {
  return text.length <= LONGEST_TEXT
    ? text
    : `${text.slice(0, SHOWN_TEXT)}${CUT} (${text.length} characters)`;
}

/** @param {unknown[]} entries */
function cutList(entries) {
  if (isAbi(entries)) return `${CUT} (ABI of ${entries.length} entries)`;
  const leftOut = entries.length - LISTED;
  const shown = entries.slice(0, LISTED).map(cut);
  return leftOut > 0 ? [...shown, `${CUT} (${leftOut} more)`] : shown;
}

/** @param {any[]} entries */
function isAbi(entries) {
  return entries.length > 0 && entries.every((entry) => ABI_KINDS.includes(entry?.type));
}

/** @param {Record<string, unknown>} members */
function cutMembers(members) {
  const names = Object.keys(members);
  const telling = names.filter((name) => TELLING.has(name));
  const others = names.filter((name) => !TELLING.has(name));
  const kept = new Set([...telling, ...others.slice(0, Math.max(0, MEMBERS - telling.length))]);
  const shown = names.filter((name) => kept.has(name)).map((name) => [name, cut(members[name])]);
  const leftOut = names.length - shown.length;
  return Object.fromEntries(leftOut ? [...shown, [CUT, `${leftOut} more`]] : shown);
}
