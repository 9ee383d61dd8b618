/// <reference lib="esnext.disposable" preserve="true" />
// A project, for tests: its keys, clock, outbox and journal.

import { MockClock } from "./clock.js";
import { ControlApiError, ProjectConnection } from "./connection.js";
import { clientEnvironment, nodeUrl } from "./environment.js";
import { MockJournal, MockOutbox } from "./records.js";
import { readArtifact, readScenario } from "./scenario-files.js";
import { verify } from "./verification.js";
import { MockWebhooks } from "./webhooks.js";

/** @import { Asked, Connection } from "./connection.js" */
/** @import * as Entries from "./entries.js" */
/** @import { ScenarioSource } from "./scenario-files.js" */

/**
 * How many calls there have to be, at least one unless said otherwise. `since` counts only calls after that exchange of
 * the journal; `within`, such as `5s`, waits so long in real time for enough calls.
 *
 * @typedef {object} Count
 * @property {number} [exactly]
 * @property {number} [at_least]
 * @property {number} [at_most]
 * @property {readonly [number, number]} [between]
 * @property {boolean} [never]
 * @property {number} [since]
 * @property {string} [within]
 */

/** A project of a mock server: URL and keys for clients, and control of its state. */
export class MockProject {
  #client;

  /**
   * @param {Connection} server
   * @param {Entries.ProjectEntry} answer
   */
  constructor(server, answer) {
    this.#client = new ProjectConnection(server, answer.id);
    this.id = answer.id;
    this.name = answer.name;
    this.secretKey = answer.secret_key;
    this.publishableKey = answer.publishable_key;
    this.livemode = answer.livemode;
    this.clock = new MockClock(this.#client);
    this.outbox = new MockOutbox(this.#client);
    this.journal = new MockJournal(this.#client);
    this.webhooks = new MockWebhooks(this.#client);
    /**
     * Directories where scenario files are looked for before the working directory.
     *
     * @type {readonly string[]}
     */
    this.places = [];
    /** What a scenario is called in messages that is no file. */
    this.inlineName = "inline scenario";
    /**
     * The ids of the scenarios that `load` loaded.
     *
     * @type {string[]}
     */
    this.loaded = [];
  }

  /** The base URL for a client of the API. */
  get url() {
    return this.#client.server.url;
  }

  /**
   * The secret that signs `X-Wallet-Auth`: base64 of its PKCS#8, registered with the project.
   *
   * @returns {Promise<string>}
   */
  async walletSecret() {
    return (await this.call("POST", "/wallet-secret")).wallet_secret;
  }

  /**
   * Sign a request with the wallet secret: the token for its header `X-Wallet-Auth`. The body is what is sent.
   *
   * @param {string} method
   * @param {string} path
   * @param {string} [body]
   * @returns {Promise<string>}
   */
  async walletAuth(method, path, body) {
    const json = { method, path: path.split("?")[0], body };
    return (await this.call("POST", "/wallet-secret/sign", { json })).token;
  }

  /** The environment variables that the official clients and `MockServer` read. */
  async env() {
    const { url, secretKey, publishableKey } = this;
    const { controlToken } = this.#client.server;
    return clientEnvironment({
      url,
      secretKey,
      publishableKey,
      walletSecret: await this.walletSecret(),
      controlToken,
    });
  }

  /**
   * The credentials of a user's client: the publishable key, and a session's token when signed in.
   *
   * @param {string} [token]
   */
  headers(token = this.publishableKey) {
    return { "x-project-key": this.publishableKey, authorization: `Bearer ${token}` };
  }

  /**
   * One call to this project's part of the control API; `path` is relative to it.
   *
   * @param {string} method
   * @param {string} [path]
   * @param {Asked} [asked]
   * @returns {Promise<any>}
   */
  call(method, path = "", asked) {
    return this.#client.call(method, path, asked);
  }

  // --- scenarios, rules, faults ---------------------------------------------------------------------

  /**
   * Load a scenario: a path, a URL of a file, the text itself, or an object. `captured` then has the captured answers.
   *
   * What a scenario `requires` has to be loaded before it.
   *
   * @param {ScenarioSource} scenario
   * @returns {Promise<Entries.LoadedScenario>}
   */
  async load(scenario) {
    const { text, name } = await readScenario(scenario, this.places);
    const params = { source: name ?? this.inlineName };
    const loaded = await this.call("POST", "/scenarios", { text, type: "application/yaml", params });
    this.loaded.push(loaded.id);
    return loaded;
  }

  /**
   * The scenarios that are loaded, and how often each rule matched and fired.
   *
   * @returns {Promise<Entries.LoadedScenario[]>}
   */
  scenarios() {
    return this.#client.entries("/scenarios");
  }

  /**
   * The answers that scenarios captured with `as`, by name; later scenarios override earlier ones.
   *
   * @returns {Promise<Record<string, any>>}
   */
  async captured() {
    return Object.assign({}, ...(await this.scenarios()).map((loaded) => loaded.captured));
  }

  /**
   * The scenario rules that an exchange, by default the latest, nearly matched, and the reasons.
   *
   * @param {number} [number]
   * @returns {Promise<Entries.NearMiss[]>}
   */
  async nearMisses(number) {
    return this.#client.entries(`/journal/${number ?? (await this.journal.lastNumber())}/near-misses`);
  }

  // --- verification ---------------------------------------------------------------------------------

  /**
   * Assert how many calls arrived, at least one unless said otherwise; how many they are.
   *
   * VerificationError shows the closest calls.
   *
   * @param {Entries.CallMatcher["call"] | Entries.CallMatcher} call
   * @param {Omit<Entries.CallMatcher, "call"> & Count} [expected]
   */
  verify(call, expected) {
    return verify(this.#client, "/verify", { ...matcherOf(call), ...expected });
  }

  /**
   * Assert that calls arrived in this order; others may have come in between.
   *
   * @param {readonly (Entries.CallName | Entries.CallMatcher)[]} calls
   * @param {Pick<Count, "since" | "within">} [options]
   */
  async verifySequence(calls, options) {
    await verify(this.#client, "/verify-sequence", { calls, ...options });
  }

  /**
   * Assert that no call at all arrived.
   *
   * @param {Pick<Count, "since" | "within">} [options]
   */
  async noInteractions(options) {
    await verify(this.#client, "/verify", { never: true, ...options });
  }

  // --- transactions, chains, keys -------------------------------------------------------------------

  /**
   * Set the fate of future transactions, or of one: `project.fate({ outcome: "reverted", reason: "paused" })`.
   *
   * @param {Entries.FateSpec} fate
   * @returns {Promise<Entries.Fate>}
   */
  fate(fate) {
    return this.call("POST", "/fates", { json: fate });
  }

  /**
   * The fates that are not used up, oldest first.
   *
   * @returns {Promise<Entries.Fate[]>}
   */
  fates() {
    return this.#client.entries("/fates");
  }

  /**
   * The budget of a fee sponsorship, in wei. Sets it first if `wei` is given; null for no limit.
   *
   * @param {string} sponsorshipId
   * @param {bigint | number | null} [wei]
   * @returns {Promise<Entries.Budget>}
   */
  budget(sponsorshipId, wei) {
    const path = `/fee-sponsorships/${sponsorshipId}/budget`;
    if (wei === undefined) return this.call("GET", path);
    return this.call("PUT", path, { json: { budget_wei: wei === null ? null : String(wei) } });
  }

  /**
   * Set the balances of an address: `balance_wei`, and `tokens`. Its state on the chain.
   *
   * @param {number} chainId
   * @param {string} address
   * @param {Entries.Schemas["SetAddress"]} balances
   * @returns {Promise<Entries.Holdings>}
   */
  fund(chainId, address, balances) {
    return this.call("PUT", `/chains/${chainId}/addresses/${address}`, { json: balances });
  }

  /**
   * Create a contract whose code is executed, from what Foundry, Hardhat or solc wrote: its path or URL, or what is in
   * the file. Returns its `address`, and the `contract_id` of its registration.
   *
   * @param {string | URL | { [member: string]: unknown }} source
   * @param {Entries.Schemas["DeployContract"] & { chainId: number }} options `args` are the constructor's
   * @returns {Promise<Entries.Schemas["DeployedAnswer"]>}
   */
  async deploy(source, { chainId, ...members }) {
    const json = { ...(await readArtifact(source, this.places)), ...members };
    return this.call("POST", `/chains/${chainId}/contracts`, { json });
  }

  /**
   * The `calls` that a transaction executed, and its `failure`: where and why it was reverted.
   *
   * @param {string} transactionId
   * @returns {Promise<Entries.Schemas["TraceAnswer"]>}
   */
  trace(transactionId) {
    return this.call("GET", `/transactions/${transactionId}/trace`);
  }

  /**
   * The URL of a chain's node, for viem, ethers and other clients of nodes. It needs no key.
   *
   * @param {number} chainId
   * @returns {string}
   */
  rpcUrl(chainId) {
    return nodeUrl(this.url, this.publishableKey, chainId);
  }

  /**
   * Pay a funding session what is due, or an amount in the source's smallest unit, or let it bounce. The session.
   *
   * @param {string} sessionId
   * @param {Entries.Schemas["PayFundingSession"]} [payment]
   * @returns {Promise<Entries.Schemas["FundingSessionAnswer"]>}
   */
  pay(sessionId, payment = {}) {
    return this.call("POST", `/funding/sessions/${sessionId}/pay`, { json: payment });
  }

  /**
   * The state of an address on a chain: `balance_wei`, `tokens`, nonces.
   *
   * @param {number} chainId
   * @param {string} address
   * @returns {Promise<Entries.Holdings>}
   */
  holdings(chainId, address) {
    return this.call("GET", `/chains/${chainId}/addresses/${address}`);
  }

  /**
   * Replace the latest blocks of a chain by siblings.
   *
   * @param {number} chainId
   * @returns {Promise<Entries.Reorganization>}
   */
  reorganize(chainId, depth = 1) {
    return this.call("POST", `/chains/${chainId}/reorganize`, { json: { depth } });
  }

  /**
   * The decisions of policies and sponsorship about a transaction.
   *
   * @param {string} transactionId
   * @returns {Promise<Entries.Decisions>}
   */
  decisions(transactionId) {
    return this.call("GET", `/transactions/${transactionId}/decisions`);
  }

  /**
   * Sign as the account's owner: a `hash` (32 bytes in hex), a `message` (EIP-191), `typedData` (EIP-712), or a
   * `transaction` in hex. The signature in hex.
   *
   * @param {string} accountId
   * @param {Entries.Schemas["SignAsUser"]} what
   * @returns {Promise<string>}
   */
  async sign(accountId, what) {
    return (await this.call("POST", `/accounts/${accountId}/sign`, { json: what })).signature;
  }

  /**
   * Mark a session, by its id or token, as having passed multi-factor authentication (AAL2).
   *
   * @param {string} session
   * @returns {Promise<Entries.Assurance>}
   */
  passMfa(session) {
    return this.call("PUT", `/sessions/${session}/aal2`);
  }

  /**
   * Announce the private keys of the next imports by official clients, instead of those announced before.
   *
   * @param {readonly string[]} privateKeys
   * @returns {Promise<Entries.AnnouncedKey[]>}
   */
  async announceImports(privateKeys) {
    return (await this.call("PUT", "/imports", { json: { private_keys: privateKeys } })).data;
  }

  // --- state ----------------------------------------------------------------------------------------

  /**
   * Change settings; the others are unchanged. All of them.
   *
   * @param {Partial<Entries.Settings>} settings
   * @returns {Promise<Entries.Settings>}
   */
  change(settings) {
    return this.call("PUT", "/settings", { json: settings });
  }

  /**
   * Take a snapshot of the project; its id.
   *
   * @param {string} [name]
   * @returns {Promise<string>}
   */
  async snapshot(name) {
    return (await this.call("POST", "/snapshots", { json: { name } })).id;
  }

  /**
   * Restore a snapshot, any number of times.
   *
   * @param {string} snapshot
   */
  async restore(snapshot) {
    await this.call("POST", `/snapshots/${snapshot}/restore`);
  }

  /**
   * Create a project with the state that an exchange of this one left.
   *
   * @param {number} at
   * @param {string} [name]
   */
  async fork(at, name) {
    return new MockProject(this.#client.server, await this.call("POST", "/forks", { json: { at, name } }));
  }

  /**
   * Go back to the state that an exchange left.
   *
   * @param {number} to
   */
  async travel(to) {
    await this.call("POST", "/travel", { json: { to } });
  }

  /**
   * The rows that differ between the states that two exchanges left, or one and the current state.
   *
   * @param {number} earlier
   * @param {number} [later]
   * @returns {Promise<Entries.RowChange[]>}
   */
  differences(earlier, later) {
    return this.#client.entries("/differences", { earlier, later });
  }

  /** Reset the project to its keys, seed, settings and start-up scenarios. */
  async reset() {
    await this.call("POST", "/reset");
  }

  /** Delete the project and its keys, idempotently. */
  async delete() {
    try {
      await this.call("DELETE");
    } catch (error) {
      if (!(error instanceof ControlApiError && error.status === 404)) throw error;
    }
  }

  async [Symbol.asyncDispose]() {
    await this.delete();
  }
}

/**
 * @param {Entries.CallMatcher["call"] | Entries.CallMatcher} call
 * @returns {Entries.CallMatcher}
 */
function matcherOf(call) {
  return typeof call === "object" && !Array.isArray(call)
    ? /** @type {Entries.CallMatcher} */ (call)
    : { call: /** @type {Entries.CallMatcher["call"]} */ (call) };
}
