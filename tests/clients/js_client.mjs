// The browser client, with a storage of its own, as one browser is.

import { Openfort } from "@openfort/openfort-js";

import { observedPart } from "./observed.mjs";

const PARTS = ["auth", "user", "embeddedWallet", "proxy", "funding"];

/** A client of a project, as a browser that was never there before. */
export function browser(mock, configuration = {}) {
  const openfort = new Openfort({
    baseConfiguration: { publishableKey: mock.publishableKey },
    overrides: { backendUrl: mock.url, storage: new Storage() },
    disableTelemetry: true,
    ...configuration,
  });
  for (const part of PARTS) if (openfort[part]) observedPart("js", openfort[part], `${part}.`);
  return openfort;
}

class Storage {
  #kept = new Map();

  async get(key) {
    return this.#kept.get(key) ?? null;
  }

  save(key, value) {
    this.#kept.set(key, value);
  }

  remove(key) {
    this.#kept.delete(key);
  }

  flush() {
    this.#kept.clear();
  }
}
