import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { MockServer } from "wallet-api-double";

import { project, server } from "./server.js";

const vitest = ["vitest/vitest.mjs", "run", "--no-color"];
const jest = ["jest/bin/jest.js", "--no-color"];
const playwright = ["@playwright/test/cli.js", "test"];
const REPORT = [
  "--- mockserver journal ---",
  "   2  GET /v1/contracts/con_nowhere  404",
  '      < {"error": {"type": "invalid_request_error", "message": "There is no contract con_nowhere.", "code": "contract_not_found"}}',
  "--- mockserver error answers ---",
  "   2  GET /v1/contracts/con_nowhere  404  contract_not_found: There is no contract con_nowhere.",
  "--- mockserver fates ---",
  "reverted waits for a transaction: kind transaction",
];
const FAILED = [
  "a-rule-that-never-fires",
  "after-the-steps-of-a-scenario",
  "an-assertion",
  "an-undeclared-key",
];
const UNUSED = [
  "rules of the test's scenarios never fired:",
  "away (scenario outage) never fired: 0 calls matched it",
];
const UNDECLARED = ["1 call went to sk_test_wr…, which nothing declares; the test has sk_test_an…"];

const recordings = await mkdtemp(join(tmpdir(), "recordings-"));

after(() => rm(recordings, { recursive: true }));

/** What a runner of tests prints about the files of a directory, and its status. */
async function run([program, ...options], directory, file, env = {}) {
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL(`../node_modules/${program}`, import.meta.url)), ...options, file],
    {
      cwd: new URL(`runs/${directory}/`, import.meta.url),
      env: {
        ...process.env,
        NODE_OPTIONS: "--experimental-vm-modules",
        NODE_TEST_CONTEXT: undefined,
        ...env,
      },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  const [[status], printed, errors] = await Promise.all([
    once(child, "close"),
    text(child.stdout),
    text(child.stderr),
  ]);
  return { status, printed: `${printed}${errors}` };
}

/** A run of what fails, with a directory of recordings. */
async function runFailing(runner, directory) {
  const { url } = await server();
  const place = join(recordings, directory);
  const env = { MOCKSERVER_URL: url, MOCKSERVER_RECORD_TESTS: "failed", RECORD_DIR: place };
  return { url, place, ...(await run(runner, directory, "failing.run.js", env)) };
}

/** Whether lines are printed one after the other somewhere, however far each is indented. */
function assertLines(printed, lines) {
  const trim = (line) => `${line.trim()}\n`;
  const trimmed = printed.split("\n").map(trim).join("");
  assert.ok(trimmed.includes(lines.map(trim).join("")), printed);
}

for (const [runner, directory] of [
  [vitest, "vitest"],
  [jest, "jest"],
  [playwright, "playwright"],
]) {
  test(`${directory} starts one server, and its tests have projects of their own`, async () => {
    const { status, printed } = await run(runner, directory, "passing.run.js");
    assert.equal(status, 0, printed);
  });

  // A runner takes seconds to begin, so that one run shows all that fails.
  let failed;
  const failing = () => (failed ??= runFailing(runner, directory));

  test(`${directory} shows what a failed test did, and fails one whose rules never fired`, async () => {
    const { url, status, printed } = await failing();
    assert.equal(status, 1, printed);
    assert.ok(printed.includes(`${FAILED.length} failed`), printed);
    assertLines(printed, REPORT);
    for (const line of [...UNUSED, ...UNDECLARED]) assert.ok(printed.includes(line), printed);
    assert.deepEqual(
      (await new MockServer({ url }).projects()).filter(({ name }) => /^(an?|after)-/.test(name)),
      [],
    );
  });

  test(`${directory} keeps recordings of tests that failed`, async () => {
    const { printed, place } = await failing();
    const files = (await readdir(place)).sort();
    const names = files.map((file) => file.replace(/-[0-9a-f]{12}\.\w+\.jsonl$/, ""));
    assert.deepEqual(names, FAILED, printed);
    for (const file of files) {
      assertLines(printed, ["--- mockserver recording ---", `mockserver replay ${join(place, file)}`]);
    }
    await promisify(execFile)("mockserver", ["replay", join(place, files[0])]);
  });

  // It is the same for the fixtures of both runners that have some.
  if (runner === playwright) continue;

  test(`${directory} replaces a project that a killed run left on the server`, async () => {
    const { url } = await server();
    const left = await run(runner, directory, "named.run.js", { MOCKSERVER_URL: url });
    const name = /name: (\S+)/.exec(left.printed)?.[1] ?? left.printed;
    await project({ name });
    const { status, printed } = await run(runner, directory, "named.run.js", { MOCKSERVER_URL: url });
    assert.equal(status, 0, printed);
  });
}

test("playwright gives a test that runs twice at once two projects", async () => {
  const { url } = await server();
  const twice = [...playwright, "--repeat-each=2", "--workers=2"];
  const { status, printed } = await run(twice, "playwright", "named.run.js", { MOCKSERVER_URL: url });
  assert.equal(status, 0, printed);
  assert.equal(new Set(printed.match(/name: \S+/g)).size, 4, printed);
});

test("playwright shows a text that is thrown, and does not check a skipped test", async () => {
  const { url } = await server();
  const { status, printed } = await run(playwright, "playwright", "ending.run.js", { MOCKSERVER_URL: url });
  assert.equal(status, 1, printed);
  for (const line of ["out of stock", "1 failed", "1 skipped"]) assert.ok(printed.includes(line), printed);
});
