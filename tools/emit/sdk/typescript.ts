import { terminalCloses, terminalLimits, terminalProtocols } from '@gpuaas/contract/terminal';
import type { JsonObject } from '../json.ts';
import { camel, type Field, itemOf, nameOf, type OpenApi, type Operation, operationsOf } from './schema.ts';

const head = '// Emitted from the contract by `npm run gen`; changes are lost.\n';

/** The emitted layer of the TypeScript SDK: types, errors and one line per operation. What uses them is written by hand. */
export function emitTypescriptSdk(document: OpenApi): ReadonlyMap<string, string> {
  const operations = operationsOf(document);
  return new Map([
    ['types.ts', head + typesOf(document)],
    ['errors.ts', head + errorsOf(document)],
    ['operations.ts', head + tableOf(operations)],
    ['choices.ts', head + choicesOf(operations, document)],
    ['api.ts', head + apiOf(operations)],
    ['terminal.ts', head + terminalOf()],
  ]);
}

/** What a client of terminals has to know besides the operations. */
function terminalOf(): string {
  const closes = Object.entries(terminalCloses).map(
    ([code, { name, sentence, reconnect }]) =>
      `  ${code}: { name: '${name}', sentence: '${sentence}', reconnect: ${reconnect} },\n`,
  );
  return [
    '\n/** The WebSocket subprotocol; the token is offered after it. */',
    `export const terminalProtocol = '${terminalProtocols.client}';`,
    '/** A client acknowledges each time it has read this much. */',
    `export const terminalAckBytes = ${terminalLimits.ackBytes};`,
    '/** The most bytes of one message. */',
    `export const terminalMessageBytes = ${terminalLimits.clientMessageBytes};`,
    '/** With what a terminal is closed, and whether the same shell can be joined again. */',
    `export const terminalCloses = {\n${closes.join('')}} as const;\n`,
  ].join('\n');
}

function typesOf(document: OpenApi): string {
  return Object.entries(document.components.schemas)
    .map(([name, schema]) => `\n${comment(schema)}export type ${name} = ${typeOf(schema, false)};\n`)
    .join('');
}

function errorsOf(document: OpenApi): string {
  const lines = Object.entries(document['x-gpuaas-errors']).map(
    ([code, { status, retryable, meaning }]) =>
      `  /** ${meaning} */\n  ${code}: { status: ${status}, retryable: ${retryable} },\n`,
  );
  return `\n/** Every code that an answer may carry. */\nexport const errorCodes = {\n${lines.join('')}} as const;\nexport type ErrorCode = keyof typeof errorCodes;\n`;
}

function tableOf(operations: readonly Operation[]): string {
  const lines = operations.map((each) => {
    const facts = [
      `method: '${each.method}'`,
      `path: '${each.path}'`,
      ...(each.query.length > 0 ? [`query: [${each.query.map(({ name }) => `'${name}'`).join(', ')}]`] : []),
      ...(each.params.length + each.query.length + each.body.length === 0 ? ['bare: true'] : []),
      ...(each.keyed ? ['keyed: true'] : []),
      ...(each.inProject ? ['inProject: true'] : []),
      ...(each.method === 'DELETE' && each.body.length > 0 ? ['body: true'] : []),
      ...(each.upload === undefined ? [] : [`upload: '${each.upload}'`]),
      ...(each.isPaged ? ['paged: true'] : []),
      ...(each.isStream ? ['stream: true'] : []),
      ...(each.isText ? ['text: true'] : []),
    ];
    return `  ${each.id}: { ${facts.join(', ')} },\n`;
  });
  const spaces = Object.entries(Object.groupBy(operations, ({ tag }) => tag)).map(([, those = []]) => {
    const [first] = those;
    if (!first) return '';
    const members = those.map((each) => `    ${methodName(each)}: '${each.id}',\n`).join('');
    return `  ${camel(nameOf(first).space.split('_'))}: {\n${members}  },\n`;
  });
  return `import type { OperationFacts } from '../operation.ts';

/** How each operation travels. */
export const operations = {
${lines.join('')}} as const satisfies Readonly<Record<string, OperationFacts>>;
export type OperationId = keyof typeof operations;

/** Where each operation is found on a client. */
export const spaces = {
${spaces.join('')}} as const satisfies Readonly<Record<string, Readonly<Record<string, OperationId>>>>;
`;
}

/** The choices of a field of an operation, for menus, filters and flags. */
function choicesOf(operations: readonly Operation[], document: OpenApi): string {
  const known = (schema: JsonObject): JsonObject =>
    typeof schema['$ref'] === 'string'
      ? (document.components.schemas[schema['$ref'].split('/').at(-1) ?? ''] ?? {})
      : schema;
  const enumOf = (schema: JsonObject): unknown => {
    const { enum: few, items } = known(schema);
    return few ?? (items === undefined ? undefined : known(items as JsonObject)['enum']);
  };
  const lines = operations.flatMap(({ id, query, body }) => {
    const fields = [...query, ...body].flatMap(({ name, schema }) => {
      const few = enumOf(schema);
      return Array.isArray(few) ? [`${name}: [${few.map((each) => JSON.stringify(each)).join(', ')}]`] : [];
    });
    return fields.length > 0 ? [`  ${id}: { ${fields.join(', ')} },\n`] : [];
  });
  return `\n/** What a person may choose among, by operation and field. */\nexport const choices = {\n${lines.join('')}} as const;\n`;
}

function apiOf(operations: readonly Operation[]): string {
  const spaces = Object.values(Object.groupBy(operations, ({ tag }) => tag)).map((those = []) => {
    const [first] = those;
    if (!first) return '';
    const names = those.map(methodName);
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice) throw new Error(`the SDK would have two methods ${first.tag}.${twice}: rename an operation`);
    return `  readonly ${camel(nameOf(first).space.split('_'))}: {\n${those.map(methodOf).join('')}  };\n`;
  });
  return `import type { CallOptions, EventStream, Paged } from '../operation.ts';
import type * as T from './types.ts';

/** Every operation of the API, by what it is about. */
export interface Api {
${spaces.join('')}}
`;
}

const methodName = (operation: Operation): string => camel(nameOf(operation).words);

function methodOf(operation: Operation): string {
  const input = inputOf(operation);
  const optional = [...operation.params, ...operation.query, ...operation.body].every(({ required }) => !required);
  const lines = [
    operation.summary,
    `\`${operation.method} ${operation.path}\``,
    ...(operation.errors.length > 0 ? [`Refusals: ${operation.errors.join(', ')}.`] : []),
  ];
  const doc = `    /**\n${lines.map((line) => `     * ${line}\n`).join('     *\n')}     */\n`;
  const given = input === '' ? '' : `input${optional ? '?' : ''}: ${input}, `;
  return `${doc}    ${methodName(operation)}(${given}options?: CallOptions): ${answerOf(operation)};\n`;
}

function answerOf(operation: Operation): string {
  if (operation.isStream) return streamOf(operation);
  if (operation.isPaged) return `Paged<${typeOf(itemOf(operation))}>`;
  return `Promise<${operation.isText ? 'string' : typeOf(operation.output)}>`;
}

/** Events have a type of their own in the SDK; what else is streamed is described in the contract. */
function streamOf({ output }: Operation): string {
  const at = (schema: unknown, ...path: readonly string[]): unknown =>
    path.reduce<unknown>((value, name) => (value as JsonObject | undefined)?.[name], schema);
  const data = at(output, 'contentSchema', 'properties', 'data', 'contentSchema') as JsonObject | undefined;
  const isEvent = data === undefined || at(data, 'properties', 'event_type') !== undefined;
  return isEvent ? 'EventStream' : `EventStream<${typeOf(data)}>`;
}

function inputOf({ id, params, query, body, upload }: Operation): string {
  const all = [...params, ...query, ...body];
  const names = new Set(all.map(({ name }) => name));
  if (names.size !== all.length) throw new Error(`${id} has two inputs of one name: the SDK could not tell them apart`);
  if (all.length === 0) return '';
  return `{ ${[...all.map(memberOf), ...(upload === undefined ? [] : [`readonly ${upload}: Blob`])].join('; ')} }`;
}
const memberOf = ({ name, required, schema }: Field): string =>
  `readonly ${name}${required ? '' : '?'}: ${typeOf(schema)}${required ? '' : ' | undefined'}`;

/** A JSON Schema as a TypeScript type. Texts that may grow (enums of answers) stay what they are today. */
export function typeOf(schema: JsonObject, named = true): string {
  const space = named ? 'T.' : '';
  if (typeof schema['$ref'] === 'string') return space + schema['$ref'].split('/').at(-1);
  if (Array.isArray(schema['enum'])) return schema['enum'].map((each) => JSON.stringify(each)).join(' | ');
  if (schema['const'] !== undefined) return JSON.stringify(schema['const']);
  for (const join of ['anyOf', 'oneOf', 'allOf']) {
    const those = schema[join];
    if (Array.isArray(those)) {
      return those.map((each) => wrapped(typeOf(each as JsonObject, named))).join(join === 'allOf' ? ' & ' : ' | ');
    }
  }
  const { type } = schema;
  if (Array.isArray(type)) {
    return type.map((each) => wrapped(typeOf({ ...schema, type: each as string }, named))).join(' | ');
  }
  switch (type) {
    case 'string':
      return 'string';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'null':
      return 'null';
    case 'array':
      return `readonly ${wrapped(typeOf((schema['items'] ?? {}) as JsonObject, named))}[]`;
    case 'object':
      return objectOf(schema, named);
    default:
      return 'unknown';
  }
}

function objectOf(schema: JsonObject, named: boolean): string {
  const required = new Set((schema['required'] ?? []) as readonly string[]);
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, JsonObject>);
  if (properties.length === 0) {
    const others = Object.values((schema['patternProperties'] ?? {}) as Record<string, JsonObject>)[0];
    const rest =
      others ?? (typeof schema['additionalProperties'] === 'object' ? schema['additionalProperties'] : undefined);
    return `Readonly<Record<string, ${rest ? typeOf(rest as JsonObject, named) : 'unknown'}>>`;
  }
  const members = properties.map(
    ([name, each]) =>
      `\n  ${comment(each)}readonly ${/^[a-z_][a-z0-9_]*$/i.test(name) ? name : JSON.stringify(name)}${required.has(name) ? '' : '?'}: ${typeOf(each, named)};`,
  );
  return `{${members.join('')}\n}`;
}
const wrapped = (type: string): string =>
  /[|&]| readonly|^readonly/.test(type) && !type.startsWith('{') ? `(${type})` : type;
const comment = (schema: JsonObject): string =>
  typeof schema['description'] === 'string' ? `/** ${schema['description'].replaceAll('*/', '* /')} */\n` : '';
