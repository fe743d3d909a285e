import { type Static, Type } from 'typebox';

/**
 * The form of a launch: a subset of JSON Schema 2020-12 with hints for a form. There is no `pattern`, because the platform would run
 * a publisher's expression on what a tenant typed; no reference and no nesting, because a form has neither.
 */
const strict = { additionalProperties: false } as const;
const Title = Type.String({ minLength: 1, maxLength: 100, pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]+$' });
const Description = Type.String({ minLength: 1, maxLength: 500, pattern: '^[^\\x00-\\x09\\x0b-\\x1f\\x7f-\\x9f]+$' });
export const ParameterName = Type.String({ pattern: '^[a-z][a-z0-9_]{0,39}$' });
const finite = { minimum: -1e15, maximum: 1e15 } as const;
const shared = {
  title: Title,
  description: Type.Optional(Description),
  'x-ui': Type.Optional(
    Type.Object(
      {
        widget: Type.Optional(Type.Enum(['text', 'textarea', 'select', 'number', 'slider', 'switch'])),
        placeholder: Type.Optional(Title),
        group: Type.Optional(Title),
        order: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000 })),
        advanced: Type.Optional(Type.Boolean()),
      },
      strict,
    ),
  ),
  'x-env': Type.Optional(
    Type.String({
      pattern: '^(?!GPUAAS_|LD_)[A-Za-z_][A-Za-z0-9_]{0,127}$',
      description: 'The variable that gets the value.',
    }),
  ),
  'x-arg': Type.Optional(
    Type.String({
      pattern: '^--[A-Za-z0-9][A-Za-z0-9-]{0,62}$',
      description: 'The flag that gets the value: --flag=value. A boolean is the flag alone, when true.',
    }),
  ),
};
const Value = Type.String({ maxLength: 4_096, pattern: '^[^\\u0000-\\u001f\\u007f]*$' });

export const AppParameter = Type.Union([
  Type.Object(
    {
      type: Type.Literal('string'),
      ...shared,
      enum: Type.Optional(Type.Array(Value, { minItems: 1, maxItems: 100, uniqueItems: true })),
      minLength: Type.Optional(Type.Integer({ minimum: 0, maximum: 4_096 })),
      maxLength: Type.Optional(Type.Integer({ minimum: 0, maximum: 4_096 })),
      default: Type.Optional(Value),
    },
    strict,
  ),
  Type.Object(
    {
      type: Type.Literal('integer'),
      ...shared,
      minimum: Type.Optional(Type.Integer(finite)),
      maximum: Type.Optional(Type.Integer(finite)),
      default: Type.Optional(Type.Integer(finite)),
    },
    strict,
  ),
  Type.Object(
    {
      type: Type.Literal('number'),
      ...shared,
      minimum: Type.Optional(Type.Number(finite)),
      maximum: Type.Optional(Type.Number(finite)),
      default: Type.Optional(Type.Number(finite)),
    },
    strict,
  ),
  Type.Object({ type: Type.Literal('boolean'), ...shared, default: Type.Optional(Type.Boolean()) }, strict),
]);
export type AppParameter = Static<typeof AppParameter>;

export const AppParameters = Type.Object(
  {
    type: Type.Literal('object'),
    properties: Type.Record(ParameterName, AppParameter, { maxProperties: 40, additionalProperties: false }),
    required: Type.Optional(Type.Array(ParameterName, { maxItems: 40, uniqueItems: true })),
    additionalProperties: Type.Literal(false),
  },
  strict,
);
export type AppParameters = Static<typeof AppParameters>;
export type ParameterValue = string | number | boolean;

/** Why a value does not fit its parameter, or undefined when it does. */
export function parameterFault(parameter: AppParameter, value: unknown): string | undefined {
  switch (parameter.type) {
    case 'string':
      return stringFault(parameter, value);
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'must be true or false';
    default:
      return numberFault(parameter, value);
  }
}
function stringFault(
  { enum: choices, minLength = 0, maxLength = 4_096 }: Extract<AppParameter, { type: 'string' }>,
  value: unknown,
): string | undefined {
  if (typeof value !== 'string') return 'must be a text';
  if (Array.from(value).some((letter) => letter < ' ' || letter === '\u007f')) return 'must have no control characters';
  if (choices && !choices.includes(value)) return `must be one of ${choices.join(', ')}`;
  return value.length < minLength || value.length > maxLength
    ? `must have ${minLength} to ${maxLength} characters`
    : undefined;
}
function numberFault(
  { type, minimum = finite.minimum, maximum = finite.maximum }: Extract<AppParameter, { type: 'integer' | 'number' }>,
  value: unknown,
): string | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value)) return 'must be a number';
  if (type === 'integer' && !Number.isInteger(value)) return 'must be a whole number';
  return value < minimum || value > maximum ? `must be between ${minimum} and ${maximum}` : undefined;
}

export interface ParameterProblem {
  readonly field: string;
  readonly message: string;
}
/** The values of a launch with defaults filled in, or what is wrong with them. */
export function takeParameters(
  parameters: AppParameters | undefined,
  values: Readonly<Record<string, unknown>>,
): { readonly values: Readonly<Record<string, ParameterValue>> } | { readonly problems: readonly ParameterProblem[] } {
  const known = parameters?.properties ?? {};
  const required = new Set(parameters?.required ?? []);
  const problems: ParameterProblem[] = Object.keys(values)
    .filter((name) => !Object.hasOwn(known, name))
    .map((field) => ({ field, message: 'is no parameter of this app' }));
  const taken: Record<string, ParameterValue> = {};
  for (const [field, parameter] of Object.entries(known)) {
    const value = Object.hasOwn(values, field) ? values[field] : parameter.default;
    if (value === undefined) {
      if (required.has(field)) problems.push({ field, message: 'is required' });
      continue;
    }
    const message = parameterFault(parameter, value);
    if (message) problems.push({ field, message });
    else taken[field] = value as ParameterValue;
  }
  return problems.length > 0 ? { problems } : { values: taken };
}

/** What a launch hands to the container: variables, and flags behind the arguments of the manifest. */
export function renderParameters(
  parameters: AppParameters | undefined,
  values: Readonly<Record<string, ParameterValue>>,
): { readonly env: readonly { readonly name: string; readonly value: string }[]; readonly args: readonly string[] } {
  const env: { name: string; value: string }[] = [];
  const args: string[] = [];
  for (const [name, parameter] of Object.entries(parameters?.properties ?? {})) {
    const value = values[name];
    if (value === undefined) continue;
    const [variable, flag] = [parameter['x-env'], parameter['x-arg']];
    if (variable) env.push({ name: variable, value: String(value) });
    if (flag && value === true) args.push(flag);
    // One word, so that a value that begins with a dash stays the value of its flag.
    else if (flag && value !== false) args.push(`${flag}=${value}`);
  }
  return { env, args };
}
