/// <reference lib="esnext.disposable" preserve="true" />
// testcontainers: the server in a container.

import { GenericContainer, Wait } from "testcontainers";

import { MockServer } from "./client.js";

/** @import { StartedTestContainer } from "testcontainers" */

const PORT = 4242;
const CONTROL_TOKEN = "testcontainers-control-token";

/** A container of the image that the repository builds. There is no default image: no registry has one. */
export class LiveServerContainer {
  #container;
  #token;

  /**
   * @param {string} image such as `mockserver`, as `docker build -t mockserver .` names it
   * @param {{ clock?: string, seed?: string, controlToken?: string }} [options] `clock` is `frozen` unless given
   */
  constructor(image, { clock = "frozen", seed, controlToken = CONTROL_TOKEN } = {}) {
    this.#token = controlToken;
    this.#container = new GenericContainer(image)
      .withExposedPorts(PORT)
      .withEnvironment({
        MOCKSERVER_CONTROL_TOKEN: controlToken,
        MOCKSERVER_CLOCK: clock,
        ...(seed !== undefined && { MOCKSERVER_SEED: seed }),
      })
      .withWaitStrategy(Wait.forHttp("/_mock/ready", PORT).forStatusCode(200));
  }

  /** The definition, to be changed before it is started: networks, mounts, labels. */
  get definition() {
    return this.#container;
  }

  /**
   * Mount a directory of scenarios for the default project.
   *
   * @param {string} directory an absolute path
   */
  withScenarios(directory) {
    this.#container.withBindMounts([{ source: directory, target: "/scenarios", mode: "ro" }]);
    return this;
  }

  /** Start it, and wait until it is ready. */
  async start() {
    return new StartedLiveServerContainer(await this.#container.start(), this.#token);
  }
}

/** A server in a container that runs. */
export class StartedLiveServerContainer extends MockServer {
  #container;

  /**
   * @param {StartedTestContainer} container
   * @param {string} controlToken
   */
  constructor(container, controlToken) {
    super({ url: `http://${container.getHost()}:${container.getMappedPort(PORT)}`, controlToken });
    this.#container = container;
  }

  /** The container, for its logs and its network. */
  get container() {
    return this.#container;
  }

  /** Stop the container and remove it. */
  async stop() {
    await this.#container.stop();
  }

  async [Symbol.asyncDispose]() {
    await this.stop();
  }
}
