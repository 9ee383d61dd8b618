/** Server-sent events read by `fetch`: unlike `EventSource` it can send the control token. */

import { Refused, tokenHeader, urlOf } from "./api.js";

/**
 * Read events until the stream ends or is aborted; an error says why it could not be read.
 *
 * @param {string} path
 * @param {string | null} lastId the id of the last event that was seen
 * @param {(data: any, id: string) => void} onEvent
 * @param {AbortSignal} signal
 */
export async function readEvents(path, lastId, onEvent, signal) {
  const headers = { ...tokenHeader(), ...(lastId ? { "last-event-id": lastId } : {}) };
  const response = await fetch(urlOf(path), { headers, signal, cache: "no-store" });
  if (!response.ok || !response.body)
    throw new Refused(response.status, await response.json().catch(() => null));
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) deliver(block, onEvent);
  }
}

/** @param {string} block @param {(data: any, id: string) => void} onEvent */
function deliver(block, onEvent) {
  const members = new Map(
    block.split("\n").map((line) => /** @type {[string, string]} */ (line.split(/: ?(.*)/s, 2))),
  );
  const data = members.get("data");
  if (data !== undefined) onEvent(JSON.parse(data), members.get("id") ?? "");
}
