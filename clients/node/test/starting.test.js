import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { Socket } from "node:net";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";

import { ControlApiError, MockServer, openServer, startServer } from "wallet-api-double";

const run = promisify(execFile);

/** Whether a server goes away within some seconds. */
async function ends(url) {
  for (let turn = 0; turn < 100; turn += 1) {
    if (!(await new MockServer({ url }).ready())) return true;
    await pause(50);
  }
  return false;
}

test("a server is started on a free port, and stopped", async () => {
  const server = await startServer({ seed: "mine" });
  assert.ok(await server.ready());
  const project = await server.createProject();
  assert.equal(await project.clock.now(), "2026-01-01T00:00:00.000Z");
  await server.stop();
  await server.stop();
  assert.ok(!(await server.ready()));
  const gone = await project.clock.advance(1).catch((error) => error);
  assert.match(gone.message, /^the mock server at http:\S+:\d+ does not answer: connect ECONNREFUSED/);
  assert.match(gone.stack, /starting\.test\.js/);
});

test("a server is started where pipes are no sockets, as in Bun", async () => {
  const { unref } = Socket.prototype;
  Socket.prototype.unref = undefined;
  const server = await startServer().finally(() => (Socket.prototype.unref = unref));
  assert.ok(await server.ready());
  await server.stop();
});

test("a server takes a scenario, a clock and options, and its token is known", async () => {
  const scenarios = [new URL("../../../examples/shop.yaml", import.meta.url).pathname];
  const options = ["--control-token", "a-token-of-my-own"];
  const server = await startServer({ scenarios, clock: "2030-01-01T00:00:00Z", arguments: options });
  try {
    assert.equal(server.controlToken, "a-token-of-my-own");
    const project = await server.project("sk_test_default");
    assert.ok((await project.captured()).till);
    assert.equal(await project.clock.now(), "2030-01-01T00:00:00.000Z");
    assert.equal((await project.env()).MOCKSERVER_CONTROL_TOKEN, "a-token-of-my-own");
    const stranger = new MockServer({ url: server.url, controlToken: "" });
    await assert.rejects(
      stranger.projects(),
      (error) => error instanceof ControlApiError && error.status === 401,
    );
  } finally {
    await server.stop();
  }
});

test("a mistake in the options is told with what the server says", async () => {
  await assert.rejects(
    startServer({ arguments: ["--clok", "frozen"] }),
    /ended with 2[^]*did you mean --clock/,
  );
  await assert.rejects(startServer({ command: ["no-such-program"] }), /spawn no-such-program ENOENT/);
});

test("without the server, the error says how to get it", async () => {
  const { PATH } = process.env;
  process.env.PATH = "/nowhere";
  try {
    await assert.rejects(startServer(), /no mockserver here[^]*pip install[^]*MOCKSERVER_URL/);
  } finally {
    process.env.PATH = PATH;
  }
});

test("a server does not keep its process from ending, and ends with it", async () => {
  const program = `
    import { startServer } from "wallet-api-double";
    console.log((await startServer()).url);
  `;
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", program]);
  assert.ok(await ends(stdout.trim()));
});

test("a server ends with a process that is killed", async () => {
  const program = `
    import { startServer } from "wallet-api-double";
    console.log((await startServer()).url);
    setInterval(() => {}, 1000);
  `;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", 2],
  });
  const url = String((await once(child.stdout, "data"))[0]).trim();
  assert.ok(await new MockServer({ url }).ready());
  child.kill("SIGKILL");
  await text(child.stdout);
  assert.ok(await ends(url));
});

test("the server of the environment is used and left running", async () => {
  const started = await startServer();
  process.env.MOCKSERVER_URL = started.url;
  try {
    const { server, close } = await openServer();
    assert.equal(server.url, started.url);
    await close();
    assert.ok(await started.ready());
    await started.stop();
    await assert.rejects(openServer(), /no mock server is ready at/);
  } finally {
    delete process.env.MOCKSERVER_URL;
  }
});

test("the variables of a project are those that mockserver exec sets", async () => {
  const server = await startServer();
  const env = await (await server.project("sk_test_default")).env();
  await server.stop();
  const print = "console.log(JSON.stringify(Object.keys(process.env)))";
  const clean = { PATH: process.env.PATH, HOME: process.env.HOME };
  const { stdout } = await run("mockserver", ["exec", "--", process.execPath, "-e", print], { env: clean });
  const others = ["PATH", "HOME", "NO_PROXY", "no_proxy", "LC_CTYPE", "FOUNDRY_NO_STORAGE_CACHING"];
  assert.deepEqual(
    Object.keys(env).sort(),
    JSON.parse(stdout)
      .filter((name) => !others.includes(name))
      .sort(),
  );
});
