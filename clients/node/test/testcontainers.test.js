// Without an engine for containers: what the definition says, and what becomes of a container that another class fakes.

import assert from "node:assert/strict";
import { test } from "node:test";

import { GenericContainer } from "testcontainers";
import { StartedLiveServerContainer, LiveServerContainer } from "wallet-api-double/testcontainers";

import { server } from "./server.js";

test("a container is defined by the library's own class, with port, variables and readiness", () => {
  const { definition } = new LiveServerContainer("mockserver:test", { seed: "mine" }).withScenarios(
    "/scenarios-of-mine",
  );
  assert.ok(definition instanceof GenericContainer);
  const { createOpts, exposedPorts, hostConfig, waitStrategy } = /** @type {any} */ (definition);
  assert.deepEqual(exposedPorts, [4242]);
  assert.deepEqual(createOpts.Env, [
    "MOCKSERVER_CONTROL_TOKEN=testcontainers-control-token",
    "MOCKSERVER_CLOCK=frozen",
    "MOCKSERVER_SEED=mine",
  ]);
  assert.deepEqual(hostConfig.Binds, ["/scenarios-of-mine:/scenarios:ro"]);
  assert.deepEqual([waitStrategy.path, waitStrategy.port], ["/_mock/ready", 4242]);
});

test("a container that runs is a server, and ends with stop", async () => {
  const { url } = await server();
  const asked = [];
  const fake = {
    getHost: () => new URL(url).hostname,
    getMappedPort: (port) => asked.push(port) && Number(new URL(url).port),
    stop: async () => asked.push("stop"),
  };
  const started = new StartedLiveServerContainer(/** @type {any} */ (fake), "a-control-token");
  assert.equal(started.url, url);
  const project = await started.createProject();
  assert.equal(await project.clock.now(), "2026-01-01T00:00:00.000Z");
  await started.stop();
  assert.deepEqual(asked, [4242, "stop"]);
  assert.equal(started.container, fake);
});
