import type { Json, JsonObject } from '../../emit/json.ts';
import { stableJson } from '../../emit/json.ts';

/**
 * Whether a schema may take the place of another while programs written against the old one are running and data
 * written under it is still stored. Both directions count: a message may be read by an older program, and an older
 * message by a newer program. So a member may neither vanish nor become required, and what was always there stays so.
 *
 * Allowed are a new optional member, a new value of a choice (readers tolerate what they do not know), and words that
 * describe. Everything else is a breakage, also what this file has never heard of.
 */
export interface Side {
  readonly document: JsonObject;
  readonly schema: Json | undefined;
}

const words = new Set(['description', 'title', 'summary', 'examples', '$comment', 'deprecated']);
const lists = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const nested = new Set(['items', 'additionalProperties', 'not', 'contains', 'propertyNames', 'if', 'then', 'else']);
const maps = new Set(['patternProperties', 'dependentSchemas']);

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const print = (value: Json | undefined): string =>
  value === undefined ? 'nothing' : stableJson(value).trim().replace(/\s+/g, ' ');

function resolve({ document, schema }: Side): Json | undefined {
  let found = schema;
  for (let hops = 0; isObject(found) && typeof found['$ref'] === 'string'; hops += 1) {
    const reference = found['$ref'];
    if (!reference.startsWith('#/') || hops > 20) throw new Error(`The reference ${reference} cannot be followed.`);
    found = reference
      .slice(2)
      .split('/')
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
      .reduce<Json | undefined>((value, part) => (isObject(value) ? value[part] : undefined), document);
    if (found === undefined) throw new Error(`The reference ${reference} leads nowhere.`);
  }
  return found;
}

export function findBreakages(base: Side, next: Side, at: string): string[] {
  return compare(base, next, at, new Set());
}

function compare(base: Side, next: Side, at: string, open: ReadonlySet<string>): string[] {
  // A schema that contains itself comes round to the same pair of references; once is enough.
  const pair = `${refOf(base.schema)} ${refOf(next.schema)}`;
  const isReference = pair.trim() !== '';
  if (isReference && open.has(pair)) return [];
  const inside = isReference ? new Set([...open, pair]) : open;
  const before = resolve(base);
  const after = resolve(next);
  if (!isObject(before) || !isObject(after)) {
    return print(before) === print(after) ? [] : [`${at}: was ${print(before)}, is ${print(after)}`];
  }
  const step = (was: Json | undefined, is: Json | undefined, where: string) =>
    compare({ document: base.document, schema: was }, { document: next.document, schema: is }, where, inside);
  const keywords = new Set([...Object.keys(before), ...Object.keys(after)].filter((word) => !words.has(word)));
  return [...keywords].flatMap((keyword) => compareKeyword(keyword, before, after, at, step));
}

const refOf = (schema: Json | undefined): string =>
  isObject(schema) && typeof schema['$ref'] === 'string' ? schema['$ref'] : '';

type Step = (was: Json | undefined, is: Json | undefined, where: string) => string[];

function compareKeyword(keyword: string, before: JsonObject, after: JsonObject, at: string, step: Step): string[] {
  const was = before[keyword];
  const is = after[keyword];
  if (keyword === 'properties') return compareMembers(was, is, at, step);
  if (keyword === 'required') return compareRequired(was, is, at);
  if (keyword === 'enum' && Array.isArray(was) && Array.isArray(is)) {
    return was.filter((value) => !is.includes(value)).map((value) => `${at}: the value ${print(value)} was removed`);
  }
  if (lists.has(keyword) && Array.isArray(was) && Array.isArray(is) && was.length === is.length) {
    return was.flatMap((child, index) => step(child, is[index], `${at}/${keyword}/${index}`));
  }
  if (maps.has(keyword) && isObject(was) && isObject(is)) {
    const names = new Set([...Object.keys(was), ...Object.keys(is)]);
    return [...names].flatMap((name) => step(was[name], is[name], `${at}/${name}`));
  }
  if (nested.has(keyword) && isObject(was) && isObject(is)) return step(was, is, `${at}/${keyword}`);
  return print(was) === print(is) ? [] : [`${at}: ${keyword} was ${print(was)}, is ${print(is)}`];
}

function compareMembers(was: Json | undefined, is: Json | undefined, at: string, step: Step): string[] {
  const before = isObject(was) ? was : {};
  const after = isObject(is) ? is : {};
  return Object.keys(before).flatMap((name) =>
    after[name] === undefined
      ? [`${at}/${name}: the member was removed`]
      : step(before[name], after[name], `${at}/${name}`),
  );
}

function compareRequired(was: Json | undefined, is: Json | undefined, at: string): string[] {
  const before = Array.isArray(was) ? (was as string[]) : [];
  const after = Array.isArray(is) ? (is as string[]) : [];
  return [
    ...after.filter((name) => !before.includes(name)).map((name) => `${at}/${name}: the member became required`),
    ...before
      .filter((name) => !after.includes(name))
      .map((name) => `${at}/${name}: the member was required and is not`),
  ];
}
