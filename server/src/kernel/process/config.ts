import { type Static, type TObject, type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';
import { redactText } from '../telemetry/redact.ts';

/**
 * Configuration comes from the environment, is read once, and is checked whole: a process that lacks three things says
 * all three. `databaseUrl` in a schema is `GPUAAS_DATABASE_URL` outside. Values of fields marked `secret` are never
 * repeated in a message.
 */
export class ConfigFault extends Error {
  override readonly name = 'ConfigFault';
  readonly faults: readonly string[];
  constructor(process: string, faults: readonly string[]) {
    super(`${process} cannot start:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.faults = faults;
  }
}

export type Environment = Readonly<Record<string, string | undefined>>;

export const variable = (field: string): string =>
  `GPUAAS_${field.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;

/** A field that must not be shown: passwords, URLs that carry one, keys. */
export const Secret = (options: Record<string, unknown> = {}) =>
  Type.String({ minLength: 1, ...options, secret: true });

export function readConfig<S extends TObject>(process: string, schema: S, env: Environment): Static<S> {
  const raw: Record<string, unknown> = {};
  const faults: string[] = [];
  for (const [field, fieldSchema] of Object.entries(schema.properties) as [string, TSchema][]) {
    const text = env[variable(field)];
    const given = text === undefined || text === '' ? undefined : Value.Convert(fieldSchema, text);
    const value = given ?? Value.Default(fieldSchema, undefined);
    if (value === undefined) {
      if (schema.required?.includes(field)) faults.push(`${variable(field)} is missing: ${describe(fieldSchema)}`);
      continue;
    }
    if (Value.Check(fieldSchema, value)) raw[field] = value;
    else faults.push(`${variable(field)} ${complaint(fieldSchema, value)}`);
  }
  if (faults.length > 0) throw new ConfigFault(process, faults);
  return raw as Static<S>;
}

const describe = (schema: TSchema): string => {
  const { description, type } = schema as { description?: string; type?: string };
  return description ?? `a ${type ?? 'value'} is expected`;
};

function complaint(schema: TSchema, value: unknown): string {
  const [first] = Value.Errors(schema, value);
  const shown = (schema as { secret?: boolean }).secret
    ? 'the given value (not shown)'
    : redactText(JSON.stringify(value));
  return `does not accept ${shown}: it ${first?.message ?? 'is not valid'}. ${describe(schema)}`;
}
