import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { MockProject, MockServer } from "../lib/index.js";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../", import.meta.url));
const README = await readFile(join(ROOT, "README.md"), "utf8");
const BLOCKS = [...README.matchAll(/^```(\w+) ?(.*)\n([^]*?)^```$/gm)].map(([, language, word, text]) => ({
  language,
  word,
  text,
}));
const PROGRAMS = {
  node: ["snippet.js"],
  vitest: [join(ROOT, "node_modules/vitest/vitest.mjs"), "run", "--root", "."],
  playwright: [join(ROOT, "node_modules/@playwright/test/cli.js"), "test"],
  jest: ["--experimental-vm-modules", join(ROOT, "node_modules/jest/bin/jest.js"), "--rootDir", "."],
};
/** Within the package, so that its name means itself. */
const place = await mkdtemp(join(ROOT, "test/runs/readme-"));

after(() => rm(place, { recursive: true }));

test("every block is run, or is of a language that needs none", () => {
  for (const { language, word } of BLOCKS) {
    const known = language === "js" ? [...Object.keys(PROGRAMS), "vitest.config.js"] : [""];
    assert.ok(["js", "sh", "text"].includes(language) && known.includes(word), `${language} ${word}`);
  }
});

for (const type of [MockServer, MockProject]) {
  test(`all of ${type.name} is described`, () => {
    const names = Object.getOwnPropertyNames(type.prototype).filter((name) => name !== "constructor");
    assert.deepEqual(
      names.filter((name) => !new RegExp(`\\b${name}\\b`).test(README)),
      [],
    );
  });
}

for (const [number, { word, text }] of BLOCKS.entries()) {
  if (!(word in PROGRAMS)) continue;
  test(`block ${number} runs, by ${word}`, async () => {
    const directory = await mkdtemp(join(place, `${number}-`));
    await writeFile(join(directory, word === "node" ? "snippet.js" : "snippet.test.js"), text);
    if (word === "jest")
      await writeFile(join(directory, "jest.config.js"), "export default { transform: {} };");
    await run(process.execPath, PROGRAMS[word], {
      cwd: directory,
      env: { ...process.env, NODE_TEST_CONTEXT: undefined },
    });
  });
}
