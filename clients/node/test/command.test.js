import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const COMMAND = fileURLToPath(new URL("../lib/command.js", import.meta.url));
/** Says its name and its arguments, and ends with 7. */
const STAND_IN =
  '#!/bin/sh\ncase "$*" in *--version) echo "VERSION";; *) echo "${0##*/} $*"; exit 7;; esac\n';

/** What the command does where there are these programs only, by what each says of its version. */
async function runBeside(programs, words, variables = {}) {
  const place = await mkdtemp(join(tmpdir(), "programs-"));
  for (const [name, version] of Object.entries(programs)) {
    await writeFile(join(place, name), STAND_IN.replace("VERSION", version), { mode: 0o755 });
  }
  const env = { PATH: place, ...variables };
  const found = spawnSync(process.execPath, [COMMAND, ...words], { env, encoding: "utf8" });
  await rm(place, { recursive: true });
  return found;
}

const OURS = "mockserver 0.1.0";

test("the first program that is there gets the arguments, and its exit code is that of the command", async () => {
  const programs = { mockserver: OURS, uvx: OURS, uv: OURS, python3: OURS };
  const expected = [
    /^mockserver serve --port 0\n$/,
    /^uvx mockserver@[\d.]+ serve --port 0\n$/,
    /^uv tool run mockserver@[\d.]+ serve --port 0\n$/,
    /^python3 -m mockserver serve --port 0\n$/,
  ];
  for (const [number, name] of Object.keys(programs).entries()) {
    const { status, stdout } = await runBeside(programs, ["serve", "--port", "0"]);
    assert.match(stdout, expected[number]);
    assert.equal(status, 7);
    delete programs[name];
  }
});

test("the variable goes before all of them", async () => {
  const programs = { mockserver: OURS, mine: "anything" };
  const { stdout } = await runBeside(programs, ["serve"], { MOCKSERVER_COMMAND: "mine --quiet" });
  assert.equal(stdout, "mine --quiet serve\n");
});

test("another product of that name is passed over", async () => {
  const programs = { mockserver: "MockServer 5.15.0", python: OURS };
  assert.equal((await runBeside(programs, ["keys"])).stdout, "python -m mockserver keys\n");
});

test("where nothing is found, it says the three ways to get it", async () => {
  const { status, stderr } = await runBeside({}, ["serve"]);
  assert.equal(status, 127);
  assert.match(
    stderr,
    /\$MOCKSERVER_COMMAND, mockserver, uvx [^]*python3[^]*- with uv[^]*- by pip[^]*- as an executable/,
  );
  const { stderr: missing } = await runBeside({}, ["serve"], { MOCKSERVER_COMMAND: "no-such-program" });
  assert.match(missing, /cannot run no-such-program/);
});

test("the help says in which order it looks, and then what the server's says", async () => {
  const { stdout } = spawnSync(process.execPath, [COMMAND, "--help"], { encoding: "utf8" });
  assert.match(stdout, /\$MOCKSERVER_COMMAND, mockserver, uvx [^]*usage: mockserver/);
});

test("a signal reaches the server, which ends as it does by itself", async () => {
  for (const signal of ["SIGTERM", "SIGINT"]) {
    const child = spawn(process.execPath, [COMMAND, "serve", "--port", "0"], {
      stdio: ["ignore", "pipe", 2],
    });
    await once(child.stdout, "data");
    child.kill(signal);
    assert.deepEqual(await once(child, "exit"), [0, null]);
  }
  const ended = ["exec", "--", process.execPath, "-e", "process.kill(process.pid, 'SIGKILL')"];
  assert.equal(spawnSync(process.execPath, [COMMAND, ...ended]).status, 128 + 9);
});
