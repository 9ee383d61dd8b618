/// <reference lib="esnext.disposable" preserve="true" />
/** A container of the image that the repository builds. There is no default image: no registry has one. */
export class LiveServerContainer {
    /**
     * @param {string} image such as `mockserver`, as `docker build -t mockserver .` names it
     * @param {{ clock?: string, seed?: string, controlToken?: string }} [options] `clock` is `frozen` unless given
     */
    constructor(image: string, { clock, seed, controlToken }?: {
        clock?: string;
        seed?: string;
        controlToken?: string;
    });
    /** The definition, to be changed before it is started: networks, mounts, labels. */
    get definition(): GenericContainer;
    /**
     * Mount a directory of scenarios for the default project.
     *
     * @param {string} directory an absolute path
     */
    withScenarios(directory: string): this;
    /** Start it, and wait until it is ready. */
    start(): Promise<StartedLiveServerContainer>;
    #private;
}
/** A server in a container that runs. */
export class StartedLiveServerContainer extends MockServer {
    /**
     * @param {StartedTestContainer} container
     * @param {string} controlToken
     */
    constructor(container: StartedTestContainer, controlToken: string);
    /** The container, for its logs and its network. */
    get container(): StartedTestContainer;
    /** Stop the container and remove it. */
    stop(): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
    #private;
}
import { GenericContainer } from "testcontainers";
import { MockServer } from "./client.js";
import type { StartedTestContainer } from "testcontainers";
