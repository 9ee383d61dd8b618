/**
 * A recording's file, read in the browser: line by line, so that its size does not matter. What is kept are the
 * places of its exchanges; their lines are read again when they are shown.
 *
 * @typedef {{ n: number, line: number, request: number, requestEnd: number, answer: number, answerEnd: number,
 *   now: number, status: number, isSpoilt: boolean, isRpcError: boolean, mark: string }} Entry
 */

/** The latest format. Of format 1 an answer has a line of its own; its other steps are told by the same members. */
const FORMAT = 2;
const LONGEST_LINE = 64 * 1024 * 1024;
const MOST_EXCHANGES = 1_000_000;
const LF = 10;
const RPC_ERROR = /(^\[?|\},)\{"jsonrpc":"2\.0","id":("[^"]*"|[^",{]*),"error":\{/;
const STEPS = new Set(
  "n request resume waits answer tick checkpoint end withheld now_ms real_ms changes slice acts".split(" "),
);

/** What is wrong with a file, and in which line. */
export class BadFile extends Error {
  /** @param {number} line @param {string} reason */
  constructor(line, reason) {
    super(`Line ${line}: ${reason}.`);
  }
}

export class RecordingFile {
  /** @param {File} file */
  constructor(file) {
    this.file = file;
    /** @type {Entry[]} */
    this.entries = [];
    /** @type {any} */
    this.meta = {};
    this.lines = 0;
    /** Whether its first request is to come, whether it was ended in order, whether its last line has no end. */
    this.hasBegun = this.hasEnded = this.isTorn = false;
    this.withheld = 0;
    this.decoder = new TextDecoder("utf-8", { fatal: true });
  }

  /**
   * Read it to its end; `BadFile`. A line is all that is in memory at a time.
   *
   * @param {(share: number) => void} onProgress
   * @param {AbortSignal} signal
   */
  async read(onProgress, signal) {
    const reader = this.file.stream().getReader();
    /** The parts of the line that is being read, their length, and where it begins. @type {Uint8Array[]} */
    let parts = [];
    let length = 0;
    let start = 0;
    for (;;) {
      const { done, value } = await reader.read();
      if (signal.aborted) return void reader.cancel();
      if (done) break;
      let from = 0;
      for (let end = value.indexOf(LF); end >= 0; end = value.indexOf(LF, from)) {
        parts.push(value.subarray(from, end));
        length += end - from;
        this.take(parts, length, start);
        start += length + 1;
        parts = [];
        length = 0;
        from = end + 1;
      }
      // A copy: the rest of the chunk would stay in memory with it.
      parts.push(value.slice(from));
      length += value.length - from;
      if (length > LONGEST_LINE) this.refuse(`it is longer than ${LONGEST_LINE} bytes`, this.lines + 1);
      onProgress((start + length) / this.file.size);
    }
    this.isTorn = length > 0;
    if (!this.lines) this.refuse("it is not the first line of a recording", 1);
    if (!this.hasBegun) this.refuse("the recording ends before its first request");
  }

  /** @param {string} reason @param {number} [line] @returns {never} */
  refuse(reason, line = this.lines) {
    throw new BadFile(line, reason);
  }

  /** @param {Uint8Array[]} parts @param {number} length @param {number} start */
  take(parts, length, start) {
    this.lines += 1;
    if (length > LONGEST_LINE) this.refuse(`it is longer than ${LONGEST_LINE} bytes`);
    const line = this.parse(parts);
    if (this.lines === 1) this.checkFormat(line.mockserver_recording);
    else if (this.hasBegun) this.takeStep(line, start, start + length);
    else if (line.begin !== undefined) this.hasBegun = true;
    else if (typeof line.meta === "object" && line.meta) this.meta = line.meta;
  }

  /** @param {Uint8Array[]} parts @returns {any} */
  parse(parts) {
    let value;
    try {
      const text = parts.map((part) => this.decoder.decode(part, { stream: true })).join("");
      value = JSON.parse(text + this.decoder.decode());
    } catch {
      this.refuse("it is not JSON");
    }
    if (typeof value !== "object" || value === null || Array.isArray(value))
      this.refuse("it is not a JSON object");
    return value;
  }

  /** @param {unknown} version */
  checkFormat(version) {
    if (!Number.isInteger(version) || Number(version) < 1)
      this.refuse("it is not the first line of a recording, which has mockserver_recording");
    if (Number(version) > FORMAT)
      this.refuse(`the format is ${version}, and this page reads up to ${FORMAT}`);
  }

  /** @param {any} step @param {number} start @param {number} end */
  takeStep(step, start, end) {
    const unknown = Object.keys(step).find((name) => !STEPS.has(name));
    if (unknown !== undefined) this.refuse(`${JSON.stringify(unknown.slice(0, 80))} is no member of a step`);
    if (step.withheld !== undefined) this.withheld += 1;
    if (step.end !== undefined) this.hasEnded = true;
    else if (step.n !== undefined) {
      if (step.request !== undefined || step.withheld === "request") this.takeRequest(step, start, end);
      this.takeOutcome(step, start, end);
    }
  }

  /** @param {any} step @param {number} start @param {number} end */
  takeRequest(step, start, end) {
    const before = this.entries.length;
    if (step.n !== before + 1)
      this.refuse(`the exchange after ${before} has the number ${JSON.stringify(step.n)?.slice(0, 80)}`);
    if (before === MOST_EXCHANGES) this.refuse(`it has more than ${MOST_EXCHANGES} exchanges`);
    const at = { n: step.n, line: this.lines, request: start, requestEnd: end, answer: 0, answerEnd: 0 };
    const unknown = { status: 0, isSpoilt: false, isRpcError: false, mark: "" };
    this.entries.push({ ...at, now: this.entries.at(-1)?.now ?? 0, ...unknown });
  }

  /** @param {any} step @param {number} start @param {number} end */
  takeOutcome(step, start, end) {
    const entry = this.entries[step.n - 1];
    if (!entry) this.refuse(`there is no exchange ${JSON.stringify(step.n)?.slice(0, 80)} before it`);
    if (Number.isInteger(step.now_ms)) entry.now = step.now_ms;
    if (step.answer !== undefined) {
      entry.answer = start;
      entry.answerEnd = end;
      entry.status = Number(step.answer?.status) || 0;
      // A slow answer arrives whole.
      entry.isSpoilt = ![undefined, null, "slow_response", "duplicate_request"].includes(step.answer?.fault);
      entry.isRpcError = RPC_ERROR.test(step.answer?.body ?? "");
    } else if (step.withheld !== undefined) {
      entry.mark = `${String(step.withheld).slice(0, 20)} withheld`;
    }
  }

  /** The lines of an exchange, as the control API takes them. @param {Entry} entry */
  async load(entry) {
    const request = await this.lineAt(entry.request, entry.requestEnd);
    const answer = entry.answer ? (await this.lineAt(entry.answer, entry.answerEnd)).answer : null;
    return { n: entry.n, request: request.request, answer, now_ms: Math.max(0, entry.now) };
  }

  /** @param {number} start @param {number} end @returns {Promise<any>} */
  async lineAt(start, end) {
    return JSON.parse(await this.file.slice(start, end).text());
  }
}
