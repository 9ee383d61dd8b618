// Writes control-api.d.ts, the types of the control API, from its OpenAPI document:
//
//     mockserver openapi --api control | node scripts/generate.js [FILE]
//
// Without a FILE it is control-api.d.ts of this package.

import { writeFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

import openapiTS, { astToString } from "openapi-typescript";

/** The operations whose queries the package has types of; of the others the types of bodies are enough. */
const QUERIES = ["ListJournal", "ListOutbox"];

const document = JSON.parse(await text(process.stdin));
const { schemas } = document.components;
const paths = Object.entries(document.paths).flatMap(([path, item]) => {
  const kept = Object.entries(item).filter(([, operation]) => QUERIES.includes(operation.operationId));
  return kept.length ? [[path, Object.fromEntries(kept.map(withoutAnswers))]] : [];
});

/** @param {[string, any]} entry a method and its operation; every error of every call would be two thirds of the file */
function withoutAnswers([method, { operationId, parameters }]) {
  return [method, { operationId, parameters, responses: {} }];
}

const trimmed = { ...document, components: { schemas }, paths: Object.fromEntries(paths) };
const target = process.argv[2] ?? fileURLToPath(new URL("../control-api.d.ts", import.meta.url));
writeFileSync(target, astToString(await openapiTS(trimmed)));
