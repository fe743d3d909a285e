import type pg from 'pg';
import type { Ids } from '../../../kernel/id.ts';
import { sayWhy } from '../attempt.ts';
import type { Bus, Message, Published } from '../port.ts';
import { startPublishSpan } from '../spans.ts';
import { covers, type StreamPlans } from '../subjects.ts';
import { encodeMessage } from '../wire.ts';
import { findConsumers, storeCopies } from './statements.ts';

interface ConsumerRow {
  readonly name: string;
  readonly subjects: readonly string[];
  readonly sign_of_life_s: number;
}
type Batch = ReadonlyMap<string, { readonly message: Message; readonly text: string }>;

/** Publishes one batch after the other, each in one transaction. */
export function makePublish(options: {
  /** One connection, because two batches at once on two could commit in the wrong order. */
  readonly publishing: pg.Pool;
  readonly streams: StreamPlans;
  readonly ids: Ids;
  /** Where consumers hear that something was stored. */
  readonly channel: string;
}): { readonly publish: Bus['publish']; settled(): Promise<void> } {
  const { publishing, streams, ids, channel } = options;

  const retentionS = (subject: string): number => {
    const plan = Object.values(streams).find((stream) => covers(stream.subjects, subject));
    return (plan?.maxAgeDays ?? 7) * 86_400;
  };

  /**
   * Stores a batch as one transaction, and answers the ids that were there before. What nobody wants is not stored: it
   * would wait for nobody, and most events are of that kind.
   */
  const store = async (batch: Batch): Promise<ReadonlySet<string>> => {
    const { rows: consumers } = await publishing.query<ConsumerRow>(findConsumers);
    const copies = [...batch.values()].flatMap(({ message, text }) =>
      consumers
        .filter(({ subjects }) => subjects.some((pattern) => covers(pattern, message.subject)))
        .map(({ name, sign_of_life_s }) => ({ name, signOfLifeS: sign_of_life_s, message, text, jobId: ids.next() })),
    );
    if (copies.length === 0) return new Set();
    const { rows } = await publishing.query<{ fresh: string[] }>({
      ...storeCopies,
      values: [
        copies.map(({ jobId }) => jobId),
        copies.map(({ name }) => name),
        copies.map(({ signOfLifeS }) => signOfLifeS),
        copies.map(({ message }) => message.id),
        copies.map(({ message }) => message.subject),
        copies.map(({ message }) => message.key),
        copies.map(({ text }) => text),
        copies.map(({ message }) => retentionS(message.subject)),
        channel,
      ],
    });
    const fresh = new Set(rows[0]?.fresh);
    return new Set(copies.map(({ message }) => message.id).filter((id) => !fresh.has(id)));
  };

  const publishBatch = async (messages: readonly Message[]): Promise<Published[]> => {
    const batch = new Map<string, { message: Message; text: string }>();
    const results: (Published | string)[] = messages.map((message) => {
      const encoded = encodeMessage(message, streams);
      if ('refused' in encoded) return encoded;
      if (batch.has(message.id)) return 'duplicate';
      batch.set(message.id, { message, text: encoded.text });
      return message.id;
    });
    if (batch.size === 0) return results as Published[];
    const spans = [...batch.values()].map(({ message }) => startPublishSpan('postgres', message));
    try {
      const known = await store(batch);
      for (const span of spans) span.end();
      return results.map((result) => {
        if (typeof result !== 'string' || result === 'duplicate') return result as Published;
        return known.has(result) ? 'duplicate' : 'stored';
      });
    } catch (error) {
      for (const span of spans) span.end(sayWhy(error));
      throw error;
    }
  };

  let lastBatch: Promise<unknown> = Promise.resolve();
  const publish = (messages: readonly Message[]): Promise<Published[]> => {
    const batch = lastBatch.then(
      () => publishBatch(messages),
      () => publishBatch(messages),
    );
    lastBatch = batch;
    batch.catch(() => undefined);
    return batch;
  };

  return {
    publish,
    async settled() {
      await lastBatch.catch(() => undefined);
    },
  };
}
