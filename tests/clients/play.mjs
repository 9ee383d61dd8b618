// Flows: each is one sentence about what a client can do, played in a project of its own.

import assert from "node:assert/strict";

const MOCK_URL = process.env.MOCK_URL;
let declared = [];
let common = {};

/**
 * Declare a flow, in one line: its name, optionally in which versions of the script's client it is played, and the flow
 * itself, which gets its Mock and throws where the client does not get what it expects.
 *
 * `since` and `until` are versions, both inclusive. `fails` says why the flow is expected to fail.
 */
export function flow(name, ...rest) {
  declared.push({ name, run: rest.at(-1), ...common, ...(rest.length > 1 ? rest[0] : {}) });
}

/** Say in which versions all flows of the script are played that follow. */
export function only(versions) {
  common = versions;
}

/** Play the flows of a script that the version has: what became of each. */
export async function play(script, version) {
  [declared, common] = [[], {}];
  await import(`./${script}`);
  const results = [];
  for (const { name, run, since, until } of declared) {
    if ((since && newer(since, version)) || (until && newer(version, until))) continue;
    const mock = await Mock.begin();
    try {
      await run(mock);
      results.push({ name, ok: true });
    } catch (error) {
      results.push({ name, ok: false, error: described(error), exchanges: await mock.exchanges() });
    }
  }
  return results;
}

const newer = (one, other) => one.localeCompare(other, "en", { numeric: true }) > 0;

/** A project of the mock server, as a test holds it. */
export class Mock {
  /** A new project, whose transactions are in a block at once. */
  static async begin() {
    const settings = { transaction_confirms_after_ms: 20 };
    return new Mock(await control("POST", "/projects", { clock: { mode: "ticking" }, settings }));
  }

  constructor(project) {
    this.url = MOCK_URL;
    this.id = project.id;
    this.secretKey = project.secret_key;
    this.publishableKey = project.publishable_key;
  }

  /** A call of the public API with the secret key, as the application's own server makes it. */
  async api(method, path, body) {
    const headers = { "content-type": "application/json", authorization: `Bearer ${this.secretKey}` };
    const answer = await fetch(`${this.url}${path}`, { method, headers, body: body && JSON.stringify(body) });
    const text = await answer.text();
    assert.ok(answer.ok, `${method} ${path} answered ${answer.status}: ${text}`);
    return JSON.parse(text);
  }

  /** A call of the project's part of the control API. */
  control(method, path, body) {
    return control(method, `/projects/${this.id}${path}`, body);
  }

  /** Change settings of the project. */
  change(settings) {
    return control("PUT", `/projects/${this.id}/settings`, settings);
  }

  /** The newest mail or text to a recipient: its `code` or `url`. */
  async message(to) {
    const query = new URLSearchParams({ to, order: "desc", limit: "1", wait: "5" });
    const { data } = await control("GET", `/projects/${this.id}/outbox?${query}`);
    assert.equal(data.length, 1, `nothing was sent to ${to}`);
    return data[0];
  }

  /** The token of the newest link that was sent to a recipient. */
  async token(to) {
    const { url } = await this.message(to);
    const link = new URL(url);
    return link.searchParams.get("token") ?? link.pathname.split("/").at(-1);
  }

  async exchanges() {
    const { data } = await control("GET", `/projects/${this.id}/journal?order=desc&limit=5`);
    return data.reverse().map(({ method, path, query, status, request, response }) => ({
      asked: `${method} ${path}${query ? `?${query}` : ""}`,
      body: request.body,
      status,
      answer: response.body,
    }));
  }
}

async function control(method, path, body) {
  const answer = await fetch(`${MOCK_URL}/_mock${path}`, {
    method,
    headers: { "content-type": "application/json" },
    body: body && JSON.stringify(body),
  });
  const text = await answer.text();
  assert.ok(answer.ok, `${method} /_mock${path} answered ${answer.status}: ${text}`);
  return JSON.parse(text);
}

/** The error that a client throws when it is refused; a flow that is not refused fails. */
export async function refusal(asking) {
  try {
    await asking;
  } catch (error) {
    return error;
  }
  assert.fail("it was not refused");
}

export const described = (error) =>
  [error?.stack ?? String(error), error?.response?.data && JSON.stringify(error.response.data)].filter(Boolean).join("\n");
