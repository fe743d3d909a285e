import type { JsonObject } from '../json.ts';

/** What the SDK emitters read of the OpenAPI document. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly keyed: boolean;
  readonly inProject: boolean;
  readonly isPaged: boolean;
  readonly isStream: boolean;
  readonly isText: boolean;
  readonly params: readonly Field[];
  readonly query: readonly Field[];
  readonly body: readonly Field[];
  /** The name of the file that is sent as the body. */
  readonly upload: string | undefined;
  readonly output: JsonObject;
  readonly errors: readonly string[];
}
export interface Field {
  readonly name: string;
  readonly required: boolean;
  readonly schema: JsonObject;
}
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, JsonObject>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonObject>> };
  readonly 'x-gpuaas-errors': Readonly<
    Record<string, { readonly status: number; readonly meaning: string; readonly retryable: boolean }>
  >;
}

interface Parameter {
  readonly name?: string;
  readonly in?: string;
  readonly required?: boolean;
  readonly schema?: JsonObject;
  readonly $ref?: string;
}

/** Every operation that a caller with a token can use; what nodes call is no part of an SDK. */
export function operationsOf(document: OpenApi): Operation[] {
  const all = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => typeof operation['operationId'] === 'string' && !isOfNodes(operation))
      .map(([method, operation]) => read(path, method.toUpperCase(), operation)),
  );
  // What almost every operation may answer says nothing about any of them.
  const common = (code: string) => all.filter(({ errors }) => errors.includes(code)).length * 2 > all.length;
  const own = new Set(
    Object.keys(document['x-gpuaas-errors']).filter((code) => !common(code) && !ofTheMount.test(code)),
  );
  return all.map((each) => ({ ...each, errors: each.errors.filter((code) => own.has(code)) }));
}
const ofTheMount =
  /^(?:token|idempotency|project_required|project_mismatch|origin|payload|unsupported|invalid_request|admin_required|service_account_refused|personal_token_refused)/;

const isOfNodes = (operation: JsonObject): boolean =>
  (operation['x-gpuaas-auth'] as { kind?: string } | undefined)?.kind === 'node';

function read(path: string, method: string, operation: JsonObject): Operation {
  const parameters = (operation['parameters'] ?? []) as readonly Parameter[];
  const fields = (where: string): Field[] =>
    parameters
      .filter((each) => each.in === where && each.name && each.schema)
      .map(({ name = '', required = false, schema = {} }) => ({ name, required, schema }));
  const sent = operation['requestBody'] as
    | { content?: Record<string, { schema: JsonObject }>; 'x-gpuaas-name'?: string }
    | undefined;
  const body = sent?.content?.['application/json']?.schema;
  const content = successOf(operation);
  const [type = 'application/json'] = Object.keys(content);
  const output = (content[type]?.schema ?? {}) as JsonObject;
  const properties = (output['properties'] ?? {}) as JsonObject;
  return {
    id: String(operation['operationId']),
    method,
    path,
    tag: String((operation['tags'] as readonly string[])[0]),
    summary: String(operation['summary']),
    keyed: parameters.some(({ $ref }) => $ref?.endsWith('/IdempotencyKey') ?? false),
    inProject: parameters.some(({ $ref }) => $ref?.endsWith('/ProjectId') ?? false),
    isPaged: 'next_cursor' in properties && 'data' in properties,
    isStream: type === 'text/event-stream',
    isText: type !== 'application/json',
    params: fields('path'),
    query: fields('query'),
    body: body ? fieldsOf(body) : [],
    upload: sent?.['x-gpuaas-name'],
    output,
    errors: (operation['x-gpuaas-errors'] ?? []) as readonly string[],
  };
}

function successOf(operation: JsonObject): Record<string, { schema?: JsonObject }> {
  const responses = operation['responses'] as Record<string, { content?: Record<string, { schema?: JsonObject }> }>;
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? [];
  return success?.content ?? {};
}

function fieldsOf(schema: JsonObject): Field[] {
  const required = new Set((schema['required'] ?? []) as readonly string[]);
  return Object.entries((schema['properties'] ?? {}) as Record<string, JsonObject>).map(([name, each]) => ({
    name,
    required: required.has(name),
    schema: each,
  }));
}

/** The items of a page. */
export const itemOf = (operation: Operation): JsonObject =>
  ((operation.output['properties'] as Record<string, JsonObject>)['data'] as { items: JsonObject }).items;

/** Where the parts of an operation's name go: `AdminSkus` and `admin_sku_list` make `adminSkus.list`. */
export function nameOf(operation: Pick<Operation, 'id' | 'tag'>): { readonly space: string; readonly words: string[] } {
  const space = operation.tag
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase();
  const own = space.split('_').map(singular);
  const words = operation.id.split('_');
  for (const word of own) {
    const at = words.map(singular).indexOf(word);
    if (at >= 0 && words.length > 1) words.splice(at, 1);
  }
  return { space, words };
}
const singular = (word: string): string => word.replace(/ies$/, 'y').replace(/(?<=[^s])s$/, '');

export const camel = (words: readonly string[]): string =>
  words.map((word, index) => (index === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1))).join('');
