import { createHash } from 'node:crypto';
import { Envelope } from '@gpuaas/contract';
import { Compile } from 'typebox/compile';
import type { Consumer, Message } from './port.ts';
import { covers, isPattern, isSubject, type StreamPlans } from './subjects.ts';

/**
 * What both adapters agree on about a message: which ones they refuse, and what they make of one that cannot be read.
 * The limit leaves room for headers below the one mebibyte that NATS takes by default.
 */
export const MAX_ENVELOPE_BYTES = 1_000_000;

const shape = Compile(Envelope);
const ID = /^[\x21-\x7e]{1,128}$/;
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

export type Encoded = { readonly text: string } | { readonly refused: string };

export function encodeMessage(message: Message, streams: StreamPlans): Encoded {
  if (!ID.test(message.id)) return { refused: 'the id must be 1 to 128 printable ASCII characters' };
  if (!isSubject(message.subject)) return { refused: 'the subject is not a row of words joined by dots' };
  if (message.key.length === 0 || Buffer.byteLength(message.key) > 512 || message.key.includes('\0'))
    return { refused: 'the key must be 1 to 512 bytes without a zero byte' };
  if (!Object.values(streams).some((stream) => covers(stream.subjects, message.subject)))
    return { refused: `no stream keeps ${message.subject}` };
  const text = JSON.stringify(message.envelope);
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_ENVELOPE_BYTES) return { refused: `${bytes} bytes are more than ${MAX_ENVELOPE_BYTES}` };
  return { text };
}

/** A message as it came off the wire; `unreadable` says why nobody can handle it. */
export interface Received {
  readonly message: Message;
  readonly unreadable?: string;
}

/**
 * Parses a message from the wire, which may come from another program. An unreadable one still becomes a message with
 * the raw text as payload, so that it ends in `dead` like one that could not be handled.
 */
export function decodeMessage(wire: {
  readonly id: string | undefined;
  readonly subject: string;
  readonly key: string | undefined;
  readonly text: string;
  readonly receivedAt: Date;
}): Received {
  const { subject } = wire;
  const envelope = readEnvelope(wire.text);
  if (envelope && wire.id !== undefined && wire.key !== undefined)
    return { message: { id: wire.id, subject, key: wire.key, envelope } };
  const digest = createHash('sha256')
    .update(wire.id ?? `${subject}\n${wire.text}`)
    .digest('hex');
  const id = wire.id ?? digest;
  const key = wire.key ?? id;
  if (envelope) return { message: { id, subject, key, envelope } };
  const standIn: Envelope = {
    event_id: digest.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-8$4-$5'),
    event_type: subject,
    occurred_at: wire.receivedAt.toISOString(),
    version: '0',
    correlation_id: id,
    payload: { raw: wire.text.slice(0, 10_000) },
  };
  return { message: { id, subject, key, envelope: standIn }, unreadable: 'it is not an envelope' };
}

function readEnvelope(text: string): Envelope | undefined {
  try {
    const envelope: unknown = JSON.parse(text);
    return shape.Check(envelope) ? envelope : undefined;
  } catch {
    return undefined;
  }
}

/** Throws at once for a consumer that no bus could serve. */
export function assertConsumer(consumer: Consumer, streams: StreamPlans): void {
  if (!NAME.test(consumer.name)) throw new Error(`${consumer.name} is no name for a consumer`);
  if (consumer.subjects.length === 0) throw new Error(`${consumer.name} wants no subject`);
  for (const pattern of consumer.subjects) {
    if (!isPattern(pattern)) throw new Error(`${consumer.name} wants ${pattern}, which is no subject`);
    const kept = Object.values(streams).some(
      (stream) => covers(stream.subjects, pattern) || covers(pattern, stream.subjects),
    );
    if (!kept) throw new Error(`${consumer.name} wants ${pattern}, which no stream keeps`);
  }
  const counts = [consumer.maxDeliver, consumer.concurrency, consumer.ackWaitMs, consumer.backoffMs];
  if (!counts.every((count) => Number.isInteger(count) && count > 0))
    throw new Error(`${consumer.name} needs whole positive numbers`);
}
