import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../", import.meta.url));
const {
  bin,
  exports: subpaths,
  dependencies,
} = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));

/** What a program of the installed packages prints; an error if it fails. */
async function node(program, ...options) {
  const found = await run(process.execPath, [join(ROOT, "node_modules", program), ...options], {
    cwd: ROOT,
  }).catch((error) => error);
  assert.equal(found.code ?? 0, 0, `${found.stdout}${found.stderr}`);
  return found.stdout;
}

test("the types of the package hold, and those of tests that use it", async () => {
  const place = await mkdtemp(join(tmpdir(), "types-"));
  await node("typescript/bin/tsc", "--outDir", place);
  for (const file of await readdir(place)) {
    const [now, written] = await Promise.all([
      readFile(join(place, file), "utf8"),
      readFile(join(ROOT, "types", file), "utf8"),
    ]);
    assert.ok(now === written, `types/${file} is out of date: npm run generate`);
  }
  assert.equal((await readdir(join(ROOT, "types"))).length, (await readdir(place)).length);
  await rm(place, { recursive: true });
  const strict = ["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--target", "ES2023"];
  const libraries = ["--module", "NodeNext", "--lib", "ES2023,ESNext.Disposable,DOM", "--skipLibCheck"];
  await node("typescript/bin/tsc", ...strict, ...libraries, "test/consumer.ts");
});

test("the types of the APIs are those of the server", async () => {
  const place = await mkdtemp(join(tmpdir(), "apis-"));
  await run(process.execPath, ["scripts/generate.js", place], { cwd: ROOT });
  for (const file of ["control-api.d.ts", "operations.d.ts"]) {
    const [now, written] = await Promise.all([
      readFile(join(place, file), "utf8"),
      readFile(join(ROOT, file), "utf8"),
    ]);
    assert.ok(now === written, `${file} is out of date: npm run generate`);
  }
  await rm(place, { recursive: true });
});

test("the names of faults are those of scenarios", async () => {
  const { stdout } = await run("mockserver", ["schema"], { maxBuffer: 2 ** 26 });
  const typed = await readFile(join(ROOT, "lib/entries.js"), "utf8");
  const names = /typedef \{([^}]*)\} FaultName/
    .exec(typed)?.[1]
    .match(/"\w+"/g)
    .map((name) => JSON.parse(name));
  const { FaultSpec } = JSON.parse(stdout).$defs;
  assert.deepEqual(names.toSorted(), Object.keys(FaultSpec.properties).toSorted());
});

test("it is published with its code, its types and its papers, and nothing else", async () => {
  const { stdout } = await run("npm", ["pack", "--dry-run", "--json"], { cwd: ROOT });
  const [{ files, size }] = JSON.parse(stdout);
  const paths = files.map(({ path }) => path);
  const targets = Object.values(subpaths).flatMap((target) =>
    typeof target === "string" ? target : Object.values(target),
  );
  for (const target of [bin, ...targets]) assert.ok(paths.includes(target.replace("./", "")), target);
  const unwanted = paths.filter((path) => !/^(lib\/[a-z-]+\.js|types\/[a-z-]+\.d\.ts)$/.test(path));
  assert.deepEqual(unwanted.toSorted(), [
    "LICENSE",
    "README.md",
    "control-api.d.ts",
    "operations.d.ts",
    "package.json",
  ]);
  assert.ok(size < 60_000, `${size} bytes`);
  assert.equal(dependencies, undefined);
});

test("the code is formatted, and that of the examples", async () => {
  const examples = ["../../examples/node", "../../examples/browser"];
  const options = ["--config", ".prettierrc.json", "--ignore-path", ".prettierignore", "--check"];
  await node("prettier/bin/prettier.cjs", ...options, "lib", "scripts", "test", ...examples);
});
