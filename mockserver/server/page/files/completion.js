/** What can be written at a place of a scenario, by its JSON Schema. */

import { placeIn } from "./yaml_place.js";

/**
 * @typedef {Record<string, any>} Schema
 * @typedef {{ label: string, type: string, info?: string, apply?: string, boost?: number }} Completion
 */

/** @param {Schema} schema @param {string} text @param {number} position @returns {{ from: number, options: Completion[] }} */
export function completionsAt(schema, text, position) {
  const place = placeIn(text, position);
  let found = expand(schema, schema);
  for (const step of place.path) found = found.flatMap((each) => below(schema, each, step));
  /** @type {Map<string, Completion>} */
  const options = new Map();
  for (const each of found) {
    if (place.isKey) offerKeys(each, place.beside, options);
    if (place.isValue) offerValues(each, options);
  }
  return { from: place.from, options: [...options.values()] };
}

/** What a schema is made of: references followed, alternatives side by side. @param {Schema} root @param {unknown} schema @returns {Schema[]} */
function expand(root, schema) {
  if (typeof schema !== "object" || schema === null) return [];
  const { $ref, anyOf = [], oneOf = [], allOf = [], ...own } = /** @type {Schema} */ (schema);
  const target = typeof $ref === "string" ? root.$defs?.[$ref.replace("#/$defs/", "")] : null;
  return [own, ...[target, ...anyOf, ...oneOf, ...allOf].flatMap((each) => expand(root, each))];
}

/** @param {Schema} root @param {Schema} schema @param {string | number} step @returns {Schema[]} */
function below(root, schema, step) {
  if (typeof step === "number") return expand(root, schema.items);
  return expand(root, schema.properties?.[step] ?? schema.additionalProperties);
}

/** @param {Schema} schema @param {Set<string>} beside @param {Map<string, Completion>} options */
function offerKeys(schema, beside, options) {
  for (const [label, member] of Object.entries(schema.properties ?? {})) {
    if (beside.has(label) || options.has(label)) continue;
    const boost = schema.required?.includes(label) ? 1 : 0;
    options.set(label, { label, type: "property", info: member.description, apply: `${label}: `, boost });
  }
}

/** @param {Schema} schema @param {Map<string, Completion>} options */
function offerValues(schema, options) {
  const values = [...(schema.enum ?? []), ...("const" in schema ? [schema.const] : [])];
  if (schema.type === "boolean") values.push(true, false);
  for (const value of values) {
    const label = String(value);
    if (!options.has(label)) options.set(label, { label, type: "enum", info: schema.description });
  }
}
