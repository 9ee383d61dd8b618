/** Exchanges of a recording's file, shown by the control API as it shows those of the journal. */

import { Refused, call } from "./api.js";

const PATH = "recording/exchanges";
const MOST_BYTES = 500_000;
const REQUEST = ["method", "path", "query", "headers", "body"];
const ANSWER = ["status", "headers", "body", "fault"];

/**
 * @typedef {import("./recording_file.js").RecordingFile} RecordingFile
 * @typedef {import("./recording_file.js").Entry} Entry
 */

/** Rows of a list. @param {RecordingFile} file @param {Entry[]} entries @returns {Promise<any[]>} */
export async function loadRows(file, entries) {
  const readable = entries.filter((entry) => !isWithheld(entry));
  const lines = await Promise.all(readable.map(async (entry) => headOf(await file.load(entry))));
  const shown = new Map((await showRows(lines, readable)).map((row) => [row.n, row]));
  return entries.map((entry) => ({ ...(shown.get(entry.n) ?? unreadable(entry, "")), mark: markOf(entry) }));
}

/** One of them with headers and bodies; `Refused`. @param {RecordingFile} file @param {Entry} entry @param {boolean} [unmasked] */
export async function loadExchange(file, entry, unmasked = false) {
  const line = await file.load(entry);
  const given = { ...line, request: pick(line.request, REQUEST), answer: pick(line.answer, ANSWER) };
  for (const side of [given.request, given.answer]) {
    const size = JSON.stringify(side?.body ?? "").length;
    if (size > MOST_BYTES)
      side.body = `A body of ${size.toLocaleString("en")} characters, which is not shown.`;
  }
  const { data } = await call("POST", PATH, { json: { exchanges: [given], unmasked } });
  return data[0];
}

/** @param {Entry} entry */
export function isWithheld(entry) {
  return entry.mark === "request withheld";
}

/** What became of an exchange, where that is not its status. @param {Entry} entry */
function markOf(entry) {
  return entry.mark || (entry.answer ? "" : "the recording has no answer");
}

/** Those that the control API refuses are found by halves. @param {any[]} lines @param {Entry[]} entries @returns {Promise<any[]>} */
async function showRows(lines, entries) {
  if (!lines.length) return [];
  try {
    return (await call("POST", PATH, { json: { exchanges: lines, brief: true } })).data;
  } catch (error) {
    if (!isOfLine(error)) throw error;
    if (lines.length === 1) return [unreadable(entries[0], /** @type {Error} */ (error).message)];
    const half = lines.length >> 1;
    return [
      ...(await showRows(lines.slice(0, half), entries.slice(0, half))),
      ...(await showRows(lines.slice(half), entries.slice(half))),
    ];
  }
}

/** Whether what went wrong is in the lines: refused, or nested too deeply to be sent. @param {any} error */
export function isOfLine(error) {
  return error instanceof RangeError || (error instanceof Refused && [400, 413].includes(error.status));
}

/** What a list needs of an exchange. @param {any} line */
function headOf(line) {
  const request = { ...pick(line.request, ["method", "path", "query"]), headers: [] };
  return {
    ...line,
    request,
    answer: line.answer && { ...pick(line.answer, ["status", "fault"]), headers: [] },
  };
}

/** @param {Entry} entry @param {string} reason */
function unreadable(entry, reason) {
  const at = new Date(Math.min(Math.max(0, entry.now), 8.64e15)).toISOString();
  const path = reason ? `Line ${entry.line}: ${reason}` : "withheld";
  return { n: entry.n, at, method: "", path, query: "", operation: "", status: entry.status, hints: [] };
}

/** The members that the control API takes. @param {any} value @param {string[]} names @returns {any} */
function pick(value, names) {
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(names.filter((name) => name in value).map((name) => [name, value[name]]));
}
