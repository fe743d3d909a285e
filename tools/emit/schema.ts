import type { TSchema } from 'typebox';
import { byText, type Json, type JsonObject, stableJson } from './json.ts';

/**
 * Contract schemas nest other schemas by value; documents name them once and refer to them. A book walks each schema
 * it is shown, takes out what carries a `$id`, and leaves a reference behind.
 */
export interface SchemaBook {
  /** The schema as the document writes it: a reference if it has a name, itself otherwise. */
  show(schema: TSchema): JsonObject;
  /** The same, but under a name of the document's choosing if the schema has none. */
  showAs(name: string, schema: TSchema): JsonObject;
  /** Every named schema met so far. Refuses references that lead nowhere. */
  named(): Record<string, JsonObject>;
}

const inMaps = new Set(['properties', 'patternProperties', 'dependentSchemas']);
const inLists = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const single = new Set(['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames']);

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function typeOfValues(values: readonly Json[]): string | undefined {
  if (values.every((value) => typeof value === 'string')) return 'string';
  if (values.every((value) => Number.isInteger(value))) return 'integer';
  return undefined;
}

/** A union of single values is a choice, and a union with null is a nullable type: readers expect them said that way. */
function simplifyUnion(schema: JsonObject): JsonObject {
  const variants = schema['anyOf'];
  if (!Array.isArray(variants) || !variants.every(isObject)) return schema;
  const { anyOf: _, ...rest } = schema;
  if (variants.length > 1 && variants.every((variant) => variant['const'] !== undefined)) {
    return { ...rest, enum: variants.map((variant) => variant['const'] as Json) };
  }
  const [value, ...others] = variants.filter((variant) => variant['type'] !== 'null');
  const isNullable = variants.length === 2 && others.length === 0 && value !== undefined;
  if (isNullable && typeof value['type'] === 'string' && value['enum'] === undefined && value['const'] === undefined) {
    return { ...value, ...rest, type: [value['type'], 'null'] };
  }
  return schema;
}

function tidy(schema: JsonObject): JsonObject {
  let tidied = simplifyUnion(schema);
  const values = tidied['enum'];
  if (Array.isArray(values) && tidied['type'] === undefined) {
    const type = typeOfValues(values);
    if (type !== undefined) tidied = { ...tidied, type };
  }
  const required = tidied['required'];
  if (!Array.isArray(required)) return tidied;
  if (required.length > 0) return { ...tidied, required: [...(required as string[])].sort(byText) };
  const { required: _, ...rest } = tidied;
  return rest;
}

export function makeSchemaBook(prefix: string): SchemaBook {
  const known = new Map<string, JsonObject>();
  const referred = new Set<string>();

  function refer(name: string): JsonObject {
    if (!/^[A-Za-z0-9._-]+$/.test(name)) throw new Error(`"${name}" cannot name a schema in a document.`);
    referred.add(name);
    return { $ref: `${prefix}${name}` };
  }

  function register(name: string, schema: JsonObject): JsonObject {
    const reference = refer(name);
    const { $id: _, ...body } = schema;
    const shown = walk(body);
    const before = known.get(name);
    if (before !== undefined && stableJson(before) !== stableJson(shown)) {
      throw new Error(`Two different schemas are both named "${name}". Give one of them another $id.`);
    }
    known.set(name, shown);
    return reference;
  }

  function walkKeyword(keyword: string, value: Json): Json {
    if (inMaps.has(keyword) && isObject(value)) {
      return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, visit(child as JsonObject)]));
    }
    if (inLists.has(keyword) && Array.isArray(value)) return value.map((child) => visit(child as JsonObject));
    if (keyword === 'items' && Array.isArray(value)) throw new Error('Tuples have no agreed form here; use an object.');
    if (single.has(keyword) && isObject(value)) return visit(value);
    return value;
  }

  function walk(schema: JsonObject): JsonObject {
    const { $defs, ...body } = schema;
    if (isObject($defs)) for (const [name, child] of Object.entries($defs)) register(name, child as JsonObject);
    const target = body['$ref'];
    if (typeof target === 'string') return refer(target);
    const shown: Record<string, Json> = {};
    for (const [keyword, value] of Object.entries(body)) {
      if (value !== undefined) shown[keyword] = walkKeyword(keyword, value);
    }
    return tidy(shown);
  }

  function visit(schema: JsonObject): JsonObject {
    const name = schema['$id'];
    return typeof name === 'string' ? register(name, schema) : walk(schema);
  }

  // A TypeBox schema is a JSON Schema plus hidden marks; a round trip through text keeps the schema and drops the marks.
  const plain = (schema: TSchema): JsonObject => JSON.parse(JSON.stringify(schema)) as JsonObject;

  return {
    show: (schema) => visit(plain(schema)),
    showAs(name, schema) {
      const given = plain(schema);
      return typeof given['$id'] === 'string' ? visit(given) : register(name, given);
    },
    named() {
      const lost = [...referred].filter((name) => !known.has(name)).sort(byText);
      if (lost.length > 0) throw new Error(`References to schemas that nothing declares: ${lost.join(', ')}.`);
      return Object.fromEntries(known);
    },
  };
}
