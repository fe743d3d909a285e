import { type Input, isWrite, type Route } from '@gpuaas/contract';
import type { TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { Value } from 'typebox/value';
import { Fault } from '../../../kernel/fault.ts';
import { unkeepable } from '../keepable.ts';
import { tellFault } from './words.ts';

const maxFaults = 20;
const nothing = {};

/** Validates one request against its contract. Unknown fields are refused by name; all faults are reported at once. */
export function makeValidation(route: Route) {
  const params = compiled(route.params);
  const query = compiled(route.query);
  const body = isWrite(route) ? compiled(route.body) : undefined;

  return (given: { params: unknown; query: unknown; body: unknown }): Input<Route> | Fault<'validation_error'> => {
    // Paths and queries are text; numbers and booleans in them are read as such before they are checked.
    const asked = query ? Value.Default(query.schema, readQuery(query.schema, given.query as object)) : nothing;
    // A body that is left out is an empty object: every field then says for itself whether it was needed.
    const sent = given.body ?? nothing;
    if (
      (!params || params.validator.Check(given.params)) &&
      (query ? query.validator.Check(asked) : isEmpty(given.query)) &&
      (body ? body.validator.Check(sent) : isEmpty(given.body))
    ) {
      const spoilt = [...kept('path', given.params), ...kept('query', asked), ...(body ? kept('body', sent) : [])];
      return spoilt.length === 0
        ? ({ params: given.params, query: asked, body: sent } as unknown as Input<Route>)
        : refused(spoilt);
    }
    return refused([
      ...faultsOf('path', params, given.params),
      ...(query ? faultsOf('query', query, asked) : unexpected('query', given.query)),
      ...(body ? faultsOf('body', body, sent) : unexpected('body', given.body)),
    ]);
  };
}

/** TypeBox would read `true` as the number 1: in a query, only digits are a number. */
function readQuery(schema: TSchema, given: object): unknown {
  const { properties = {} } = schema as { properties?: Readonly<Record<string, { readonly type?: string }>> };
  const isNumber = (name: string) => ['integer', 'number'].includes(properties[name]?.type ?? '');
  const words = Object.entries(given).filter(
    ([name, text]) => isNumber(name) && !/^-?\d+(?:\.\d+)?$/.test(String(text)),
  );
  return { ...(Value.Convert(schema, { ...given }) as object), ...Object.fromEntries(words) };
}

function refused(faults: readonly FieldFault[]): Fault<'validation_error'> {
  const fields = faults.slice(0, maxFaults);
  const named = fields.map((field) => `${field.field} ${field.message}`).join('; ');
  return new Fault('validation_error', `The request is not valid: ${named}.`, { fields });
}

interface Compiled {
  readonly schema: TSchema;
  readonly validator: Validator;
}
interface FieldFault {
  readonly in: 'path' | 'query' | 'body';
  readonly field: string;
  readonly message: string;
}

const compiled = (schema: TSchema | undefined): Compiled | undefined =>
  schema && { schema, validator: Compile(schema) };

/** A value that matches its schema may still be one that no table, event or reply can hold. */
const kept = (where: FieldFault['in'], value: unknown): FieldFault[] =>
  unkeepable(value).map(({ at, why }) => ({ in: where, field: clipped(at || where), message: why }));

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0);

const unexpected = (where: FieldFault['in'], value: unknown): FieldFault[] =>
  isEmpty(value)
    ? []
    : typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.keys(value).map((field) => ({
          in: where,
          field: clipped(field),
          message: 'is not a field of this request',
        }))
      : [{ in: where, field: where, message: 'must be left out' }];

function faultsOf(where: FieldFault['in'], part: Compiled | undefined, value: unknown): FieldFault[] {
  if (!part) return [];
  const faults = new Map<string, FieldFault>();
  const note = (field: string, message: string) => {
    if (!faults.has(field)) faults.set(field, { in: where, field: clipped(field), message });
  };
  for (const error of part.validator.Errors(value)) {
    const at = error.instancePath.split('/').slice(1).map(unescaped).join('.');
    const { params } = error as { params: { additionalProperties?: string[]; requiredProperties?: string[] } };
    const within = (name: string) => (at ? `${at}.${name}` : name);
    // TypeBox reports an unknown field twice: by itself and in a list. With many of them the list is missing.
    if (error.keyword === 'boolean') note(at, 'is not a field of this request');
    else if (params.additionalProperties) {
      for (const name of params.additionalProperties) note(within(name), 'is not a field of this request');
    } else if (params.requiredProperties) {
      for (const name of params.requiredProperties) note(within(name), 'is missing');
    } else note(at || where, tellFault(error));
    if (faults.size >= maxFaults) break;
  }
  return [...faults.values()];
}

/** As JSON pointers write slashes and tildes. */
const unescaped = (name: string): string => name.replaceAll('~1', '/').replaceAll('~0', '~');

/** Field names come from the caller, so a long one is cut. */
const clipped = (name: string): string => (name.length > 80 ? `${name.slice(0, 80)}…` : name);
