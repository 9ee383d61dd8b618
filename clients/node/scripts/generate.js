// Writes the types that the package has from the server's OpenAPI documents: control-api.d.ts, those of the control API,
// and operations.d.ts, the names of the API's operations.
//
//     node scripts/generate.js [DIRECTORY]
//
// Without a DIRECTORY they are those of this package. It asks the program `mockserver` on the path.

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import openapiTS, { astToString } from "openapi-typescript";

/** The operations whose queries the package has types of; of the others the types of bodies are enough. */
const QUERIES = ["ListDeliveries", "ListJournal", "ListOutbox"];

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const document = describe("control");
const paths = Object.entries(document.paths).flatMap(([path, item]) => {
  const kept = Object.entries(item).filter(([, operation]) => QUERIES.includes(operation.operationId));
  return kept.length ? [[path, Object.fromEntries(kept.map(withoutAnswers))]] : [];
});

/** @param {string} api */
function describe(api) {
  return JSON.parse(execFileSync("mockserver", ["openapi", "--api", api], { maxBuffer: 2 ** 28 }).toString());
}

/** @param {[string, any]} entry a method and its operation; every error of every call would be two thirds of the file */
function withoutAnswers([method, { operationId, parameters }]) {
  return [method, { operationId, parameters, responses: {} }];
}

/** The schemas that the package's code names, and those that they, or the queries, refer to. */
function usedSchemas() {
  const code = readdirSync(join(ROOT, "lib")).map((file) => readFileSync(join(ROOT, "lib", file), "utf8"));
  const names = [...code.join("\n").matchAll(/Schemas\["(\w+)"\]/g)].map(([, name]) => name);
  const used = new Set([...names, ...referredTo(paths)]);
  for (const name of used) for (const other of referredTo(document.components.schemas[name])) used.add(other);
  const kept = Object.entries(document.components.schemas).filter(([name]) => used.has(name));
  return Object.fromEntries(kept);
}

/** @param {unknown} value */
function referredTo(value) {
  return [...JSON.stringify(value).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name);
}

const directory = process.argv[2] ?? ROOT;
const trimmed = { ...document, components: { schemas: usedSchemas() }, paths: Object.fromEntries(paths) };
writeFileSync(
  join(directory, "control-api.d.ts"),
  astToString(await openapiTS(trimmed, { defaultNonNullable: false })),
);

const operations = Object.values(describe("public").paths).flatMap((item) =>
  Object.values(item).flatMap(({ operationId }) => operationId ?? []),
);
const union = operations.toSorted().map((name) => `\n  | ${JSON.stringify(name)}`);
writeFileSync(
  join(directory, "operations.d.ts"),
  `/** The operations of the API, by their ids. */\nexport type OperationId =${union.join("")};\n`,
);
