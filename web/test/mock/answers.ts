import { type Route, routes } from '@gpuaas/contract';
import type { Static, TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { exampleOf } from '../../docs/api-examples.ts';
import type { Schema } from '../../docs/api-schema.ts';

/**
 * Answers that follow from the schemas of the contract. A test says only what it is about; the rest comes from the schema,
 * and what does not fit the schema is refused, so that a mock cannot say what the server never says.
 */
export function answerOf<S extends TSchema>(schema: S, told: Partial<Static<S>> = {}): Static<S> {
  const made = exampleOf(schema as unknown as Schema, {});
  // A list has one page unless a test says otherwise: a page that always has a next one would never end.
  const answer = isObject(made) ? { ...made, ...('has_more' in made && pageOf()), ...told } : made;
  const [wrong] = Value.Errors(schema, answer);
  if (wrong) {
    const found = JSON.stringify(Value.Pointer.Get(answer as object, wrong.instancePath));
    throw new Error(`${wrong.instancePath} ${wrong.message}, and not ${found}`);
  }
  return answer as Static<S>;
}
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** One page of a list, and nothing behind it. */
export const pageOf = <T>(...data: readonly T[]) => ({ data: [...data], next_cursor: null, has_more: false });

/** Which operation a request is for, and the values in its path. */
export function findRoute(method: string, path: string): { route: Route; params: Record<string, string> } | undefined {
  for (const { route, pattern } of patterns) {
    const found = route.method === method && pattern.exec(path);
    if (found) return { route, params: { ...found.groups } };
  }
  return undefined;
}
/** Fixed paths come before those with parameters, as in the server. */
const patterns = routes
  .map((route) => ({ route, pattern: new RegExp(`^${route.path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`) }))
  .sort((a, b) => a.route.path.split('{').length - b.route.path.split('{').length);
