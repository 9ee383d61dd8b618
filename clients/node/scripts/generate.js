// Writes the types that the package has from the server's OpenAPI documents: control-api.d.ts, those of the control API,
// and operations.d.ts, the names of the API's operations.
//
//     node scripts/generate.js [DIRECTORY]
//
// Without a DIRECTORY they are those of this package. It asks the program `mockserver` on the path.

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import openapiTS, { astToString } from "openapi-typescript";

/** The operations whose queries the package has types of; of the others the types of bodies are enough. */
const QUERIES = ["ListDeliveries", "ListJournal", "ListOutbox"];

const document = describe("control");
const { schemas } = document.components;
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

const directory = process.argv[2] ?? fileURLToPath(new URL("..", import.meta.url));
const trimmed = { ...document, components: { schemas }, paths: Object.fromEntries(paths) };
writeFileSync(join(directory, "control-api.d.ts"), astToString(await openapiTS(trimmed)));

const operations = Object.values(describe("public").paths).flatMap((item) =>
  Object.values(item).flatMap(({ operationId }) => operationId ?? []),
);
const union = operations.toSorted().map((name) => `\n  | ${JSON.stringify(name)}`);
writeFileSync(
  join(directory, "operations.d.ts"),
  `/** The operations of the API, by their ids. */\nexport type OperationId =${union.join("")};\n`,
);
