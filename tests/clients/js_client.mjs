// The browser client, with a storage of its own, as one browser is.

import { Openfort } from "@openfort/openfort-js";

/** A client of a project, as a browser that was never there before. */
export function browser(mock) {
  return new Openfort({
    baseConfiguration: { publishableKey: mock.publishableKey },
    overrides: { backendUrl: mock.url, storage: new Storage() },
    disableTelemetry: true,
  });
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
