import { readClock } from "./clock.js";
import { Connection, TOKEN_VARIABLE } from "./connection.js";
import { URL_VARIABLE } from "./environment.js";
import { MockProject } from "./project.js";

/** @import { ClockStart } from "./clock.js" */
/** @import { Asked } from "./connection.js" */
/** @import { ProjectEntry, Settings } from "./entries.js" */

const EVERYTHING = 1_000_000;

/**
 * What a project begins with. Without a `name` one is drawn; the keys and the seed follow from the name. `scopes` are
 * those of the secret key, `settings` those that are to be otherwise than usual.
 *
 * @typedef {object} ProjectOptions
 * @property {string} [name]
 * @property {string} [seed]
 * @property {boolean} [livemode]
 * @property {string} [secretKey]
 * @property {string} [publishableKey]
 * @property {readonly string[]} [scopes]
 * @property {Partial<Settings>} [settings]
 * @property {ClockStart} [clock]
 */

/** A client of the control API of a server that runs. */
export class MockServer {
  #connection;

  /**
   * The URL and the control token are those of the environment unless given: `MOCKSERVER_URL`, which
   * `mockserver exec` sets, and `MOCKSERVER_CONTROL_TOKEN`.
   *
   * @param {{ url?: string, controlToken?: string }} [options]
   */
  constructor({ url = process.env[URL_VARIABLE], controlToken = process.env[TOKEN_VARIABLE] } = {}) {
    if (!url) throw new Error(`where is the server? Give its url, or set ${URL_VARIABLE}`);
    this.#connection = new Connection(url, controlToken || undefined);
  }

  /** The base URL of the server. */
  get url() {
    return this.#connection.url;
  }

  /** The control token, if the server needs one. */
  get controlToken() {
    return this.#connection.controlToken;
  }

  /** Whether the server listens, and has loaded its start-up scenarios. */
  async ready() {
    try {
      // Another server may answer 200 to everything, such as one of pages.
      return (await this.call("GET", "/_mock/ready"))?.status === "ready";
    } catch {
      return false;
    }
  }

  /**
   * One call to the control API, such as `call("GET", "/_mock/health")`: its answer, or ControlApiError.
   *
   * @param {string} method
   * @param {string} path
   * @param {Asked} [asked]
   * @returns {Promise<any>}
   */
  call(method, path, asked) {
    return this.#connection.call(method, path, asked);
  }

  /**
   * Create a project.
   *
   * @param {ProjectOptions} [options]
   */
  async createProject({ secretKey, publishableKey, clock, ...options } = {}) {
    const json = {
      ...options,
      secret_key: secretKey,
      publishable_key: publishableKey,
      clock: clock === undefined ? undefined : readClock(clock),
    };
    return new MockProject(this.#connection, await this.call("POST", "/_mock/projects", { json }));
  }

  /**
   * The project of a key; an undeclared test key creates its project.
   *
   * @param {string} secretKey
   */
  async project(secretKey) {
    const headers = { authorization: `Bearer ${secretKey}` };
    return new MockProject(this.#connection, await this.call("GET", "/_mock/projects/-", { headers }));
  }

  /** Every project, oldest first. */
  async projects() {
    return (await this.#entries({})).map((entry) => new MockProject(this.#connection, entry));
  }

  /** The projects that undeclared keys opened, with their `secret_key` and number of `calls`. */
  undeclaredProjects() {
    return this.#entries({ declared: false });
  }

  /**
   * Record every call of the server from now on, or those of some projects, beside other recordings.
   *
   * With `mask` placeholders stand for the secrets that clients bring along.
   *
   * @param {{ mask?: boolean, projects?: readonly MockProject[] }} [options]
   */
  async startRecording({ mask = false, projects = [] } = {}) {
    const params = { mask, projects: projects.map(({ id }) => id) };
    await this.call("POST", "/_mock/recording", { params });
  }

  /**
   * End the recording, or that of a project, and return it: a file for `mockserver replay`.
   *
   * @param {MockProject} [project]
   */
  async stopRecording(project) {
    await this.call("POST", "/_mock/recording/stop", { params: { project: project?.id } });
    return this.recording(project);
  }

  /**
   * What was recorded so far, or the last recording; of the server, or of a project.
   *
   * @param {MockProject} [project]
   */
  recording(project) {
    return this.#connection.fetch("/_mock/recording", { project: project?.id });
  }

  /**
   * @param {Readonly<Record<string, unknown>>} filters
   * @returns {Promise<ProjectEntry[]>}
   */
  async #entries(filters) {
    const params = { limit: EVERYTHING, ...filters };
    return (await this.call("GET", "/_mock/projects", { params })).data;
  }
}
