/** What an emitted document is made of. `undefined` members are left out, so that builders can write them inline. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [member: string]: Json | undefined;
}

/** By code unit and not by locale: a list must not change its order with the machine that sorts it. */
export const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const isObject = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function sortMembers(value: Json): Json {
  if (Array.isArray(value)) return value.map(sortMembers);
  if (!isObject(value)) return value;
  const sorted: Record<string, Json> = {};
  for (const name of Object.keys(value).sort(byText)) {
    const member = value[name];
    if (member !== undefined) sorted[name] = sortMembers(member);
  }
  return sorted;
}

/**
 * One value has one text. Members are sorted, so moving a declaration in the contract changes nothing here, and a diff
 * of an emitted file shows only what the promise itself gained or lost.
 */
export const stableJson = (value: Json): string => `${JSON.stringify(sortMembers(value), null, 2)}\n`;
