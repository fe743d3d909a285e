import { Envelope, type EventKind } from '@gpuaas/contract';
import type { Contract } from '../contract.ts';
import { type Json, type JsonObject, stableJson } from '../json.ts';
import { makeSchemaBook, type SchemaBook } from '../schema.ts';
import { streamOf } from './check-contract.ts';

/**
 * AsyncAPI 3.0 from the events. A channel is a subject, a message is one version of an event in its envelope, and each
 * process that speaks or listens is an operation: the document answers "who depends on this?" without reading code.
 */
export function emitAsyncapi(contract: Contract): string {
  const book = makeSchemaBook('#/components/schemas/');
  const channels: Record<string, JsonObject> = {};
  const byType = Map.groupBy(contract.events, (event) => event.type);
  const messages: Record<string, Json> = {};
  const operations: Record<string, Json> = {};
  for (const [type, versions] of byType) channels[type] = channel(contract, type, versions);
  for (const event of contract.events) {
    const id = messageId(event);
    messages[id] = message(event, book);
    for (const producer of [event.producer, ...(event.alsoFrom ?? [])]) {
      operations[`${producer}.sends.${id}`] = operation('send', producer, event);
    }
    for (const consumer of consumersOf(event)) {
      operations[`${consumer}.receives.${id}`] = operation('receive', consumer, event);
    }
  }
  return stableJson({
    asyncapi: '3.0.0',
    id: 'urn:gpuaas:events',
    info: {
      title: 'GPUaaS events',
      version: contract.version,
      description:
        'Delivered at least once, in the order of commits for one key; consumers are idempotent by event_id and ignore members they do not know. A change that would break a consumer is a new version beside the old one.',
      license: { name: 'Apache-2.0' },
    },
    defaultContentType: 'application/json',
    servers: {
      nats: {
        host: '{host}:4222',
        protocol: 'nats',
        description: 'JetStream, inside the installation. With the embedded bus the same envelopes travel in Postgres.',
        variables: { host: { default: 'localhost', description: 'Where the NATS servers answer.' } },
      },
    },
    channels,
    operations,
    components: { messages, schemas: book.named() },
    'x-gpuaas-streams': Object.fromEntries(
      Object.entries(contract.streams).map(([name, { subjects, maxAgeDays }]) => [
        name,
        { subjects, max_age_days: maxAgeDays },
      ]),
    ),
  });
}

/** Two versions of one event may live side by side, so the version is part of the name. */
export const messageId = (event: Pick<EventKind, 'type' | 'version'>): string => `${event.type}.v${event.version}`;

export const consumersOf = ({ consumers }: Pick<EventKind, 'consumers'>): readonly string[] =>
  'none' in consumers ? [] : consumers;

const pascal = (type: string): string =>
  type
    .split(/[._]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

const channel = (contract: Contract, type: string, versions: readonly EventKind[]): JsonObject => ({
  address: type,
  servers: [{ $ref: '#/servers/nats' }],
  messages: Object.fromEntries(versions.map(messageId).map((id) => [id, { $ref: `#/components/messages/${id}` }])),
  'x-gpuaas-stream': streamOf(contract, type),
});

/**
 * Marks of texts (`words.ts`) are rules for those who write events, not promises to readers: a reader may count on a text
 * and no more, so that a word may become a sentence later.
 */
function published<S>(schema: S): S {
  if (Array.isArray(schema)) return schema.map(published) as S;
  if (typeof schema !== 'object' || schema === null) return schema;
  const { 'x-text': text, ...shown } = schema as Record<string, unknown>;
  if (text === 'a word') for (const bound of ['pattern', 'maxLength']) delete shown[bound];
  return Object.fromEntries(Object.entries(shown).map(([key, value]) => [key, published(value)])) as S;
}

function message(event: EventKind, book: SchemaBook): JsonObject {
  const payload = book.showAs(`${pascal(event.type)}V${event.version.replaceAll('.', '_')}`, published(event.payload));
  return {
    name: event.type,
    title: event.type,
    summary: event.summary,
    contentType: 'application/json',
    payload: {
      allOf: [
        book.show(Envelope),
        {
          type: 'object',
          properties: {
            event_type: { type: 'string', const: event.type },
            version: { type: 'string', const: event.version },
            payload,
          },
        },
      ],
    },
    'x-gpuaas-version': event.version,
    'x-gpuaas-no-consumer': 'none' in event.consumers ? event.consumers.none : undefined,
  };
}

const operation = (action: 'send' | 'receive', process: string, event: EventKind): JsonObject => ({
  action,
  summary: event.summary,
  channel: { $ref: `#/channels/${event.type}` },
  messages: [{ $ref: `#/channels/${event.type}/messages/${messageId(event)}` }],
  'x-gpuaas-process': process,
});
