import type { OperationId } from '@gpuaas/sdk';
import { type Snippets, writeSnippets } from '../src/words/snippets.ts';
import { nameOf, type Schema } from './api-schema.ts';

/**
 * An example request for every operation, made from its description. Well-known names have realistic values; the rest
 * follows from type and limits. A test checks each against the schema of the api.
 */
const id = '0199f2c4-5b1e-7c3a-9d42-6a7f0e2b8c11';
/** The address of the installation until the page knows its own. */
export const exampleOrigin = 'https://gpuaas.example';

const telling: Readonly<Record<string, unknown>> = {
  sku: 'h200-sxm-slice',
  region: 'local',
  gpus: 1,
  name: 'trainer',
  slug: 'research',
  display_name: 'Research',
  email: 'ada@example.com',
  reason: 'A line for the audit log',
  public_key: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJqXRfZ0nYGkLJwvcEtQhD8aQ0oTIYbnvT3cKpXv3dXw ada@laptop',
  os_image: 'ubuntu-24.04-h200-cuda',
  image: 'ubuntu-24.04-h200-cuda',
  digest: `sha256:${'0'.repeat(64)}`,
  address: '192.0.2.17',
  currency: 'USD',
  country: 'DE',
  tax_id: 'DE123456788',
  amount_minor: '310',
  token: 'the-token-you-were-given',
  policy_key: 'allocation.max_duration_seconds',
  kid: id,
  vendor: 'NVIDIA',
  gpu_model: 'NVIDIA H200',
  stream_seq: '42',
  view: '0'.repeat(32),
  app: 'research/echo',
  version: '1.2.0',
  api_key: 'consumer:token:secret',
};

export type Schemas = Readonly<Record<string, Schema>>;

export function exampleOf(schema: Schema, schemas: Schemas, name = ''): unknown {
  if (schema.$ref !== undefined) return exampleOf(schemas[nameOf(schema.$ref)] ?? {}, schemas, name);
  const told = telling[name];
  if (told !== undefined && fits(told, schema)) return told;
  if (schema.const !== undefined) return schema.const;
  if (schema.default !== undefined) return schema.default;
  if (schema.enum) return schema.enum[0];
  const [either] = schema.anyOf ?? [];
  if (either) return exampleOf(either, schemas, name);
  if (schema.allOf) {
    return Object.assign({}, ...schema.allOf.map((part) => exampleOf(part, schemas, name) as object)) as unknown;
  }
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'object':
      return exampleObject(schema, schemas);
    case 'array':
      return schema.items && (schema.minItems ?? 0) > 0
        ? [exampleOf(schema.items, schemas, name.replace(/s$/, ''))]
        : [];
    case 'integer':
    case 'number':
      return Math.max(schema.minimum ?? 1, 1);
    case 'boolean':
      return true;
    case 'string':
      return exampleText(schema, name);
    default:
      return 'anything';
  }
}

/** The required fields, or the first optional one if none is required. */
function exampleObject(schema: Schema, schemas: Schemas): Record<string, unknown> {
  const fields = Object.entries(schema.properties ?? {});
  const needed = fields.filter(([name]) => schema.required?.includes(name));
  const chosen = needed.length > 0 ? needed : fields.filter(([name]) => name !== 'version').slice(0, 1);
  return Object.fromEntries(chosen.map(([name, field]) => [name, exampleOf(field, schemas, name)]));
}

function exampleText({ format, pattern, minLength = 0 }: Schema, name: string): string {
  if (format === 'uuid' || (name.endsWith('_id') && pattern === undefined)) return id;
  if (format === 'date-time') return '2027-01-01T00:00:00Z';
  if (format === 'email') return 'ada@example.com';
  const guesses = [
    name,
    'example',
    'a1b2c3',
    '1',
    id,
    'https://example.com',
    'sha256:00',
    '2027-01-01',
    '/billing',
    'pm_1',
    '2027-01',
    '4242',
    '0'.repeat(32),
    '0'.repeat(43),
    '0'.repeat(64),
    `sha256:${'0'.repeat(64)}`,
    `registry.example.com/team/echo@sha256:${'0'.repeat(64)}`,
    'echo',
  ].map((guess) => guess.padEnd(minLength, 'x'));
  return guesses.find((guess) => pattern === undefined || new RegExp(pattern, 'u').test(guess)) ?? name;
}

/** Whether a realistic value of that name is valid here. */
function fits(value: unknown, { type, pattern, enum: choices, format, maxLength, maximum }: Schema): boolean {
  if (choices) return choices.includes(value);
  const kinds = typeof type === 'string' ? [type] : (type ?? []);
  if (typeof value === 'number') return kinds.includes('integer') && value <= (maximum ?? value);
  if (typeof value !== 'string' || !kinds.includes('string') || format === 'uuid') return false;
  return value.length <= (maxLength ?? value.length) && (pattern === undefined || new RegExp(pattern, 'u').test(value));
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly schema: Schema;
}

export function snippetsOf(
  operation: string,
  parameters: readonly Parameter[],
  body: Schema | undefined,
  schemas: Schemas,
): Snippets {
  const named = parameters
    .filter(({ in: place, required }) => place === 'path' || (place === 'query' && required))
    .map(({ name, schema }) => [name, exampleOf(schema, schemas, name)]);
  const input = { ...Object.fromEntries(named), ...(body && (exampleOf(body, schemas) as object)) };
  return writeSnippets({ operation: operation as OperationId, input }, exampleOrigin, id);
}
