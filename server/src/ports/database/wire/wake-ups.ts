import type { Pool } from 'pg';
import { sql } from '../../../kernel/act.ts';
import type { Log } from '../../../kernel/telemetry/log.ts';

export interface Wake {
  readonly channel: string;
  readonly what: string;
}

const notifyMany = sql(
  'notify-many',
  'select pg_notify(w.channel, w.payload) from unnest($1::text[], $2::text[]) as w (channel, payload)',
);
/** A message is a transaction, and rings in every process that listens: under load one is enough for a few commits. */
const restMs = 1;
/** PostgreSQL carries less than 8,000 bytes at a time. */
const maxPayloadBytes = 7_000;

/**
 * Tells listeners what was committed. While one message is under way, everything that wants to be said is gathered and
 * leaves in the next one, so that a thousand commits cost a few messages and not a thousand.
 */
export function makeWakeUps(parts: { readonly pool: Pool; readonly log: Log }) {
  let waiting = new Map<string, Set<string>>();
  let sending: Promise<void> | undefined;

  async function flush(): Promise<void> {
    while (waiting.size > 0) {
      // One commit often has several to wake, and says so one after the other.
      await Promise.resolve();
      const gathered = [...waiting].flatMap(([channel, words]) =>
        packed(words).map((payload) => ({ channel, payload })),
      );
      waiting = new Map();
      const values = [gathered.map(({ channel }) => channel), gathered.map(({ payload }) => payload)];
      try {
        await parts.pool.query({ ...notifyMany, values });
      } catch (error) {
        parts.log.warn({ err: error }, 'listeners could not be woken; they will look by themselves');
      }
      await new Promise<void>((resolve) => setTimeout(resolve, restMs));
    }
    sending = undefined;
  }

  return {
    send(wakes: readonly Wake[]): void {
      for (const { channel, what } of wakes) {
        const words = waiting.get(channel);
        if (words) words.add(what);
        else waiting.set(channel, new Set([what]));
      }
      sending ??= flush();
    },
    async close(): Promise<void> {
      await sending;
    },
  };
}

/** Words joined by commas, in as few payloads as they fit into. */
export function packed(words: ReadonlySet<string>): string[] {
  const payloads: string[] = [];
  let open = '';
  for (const word of words) {
    const longer = open === '' ? word : `${open},${word}`;
    if (open !== '' && Buffer.byteLength(longer) > maxPayloadBytes) {
      payloads.push(open);
      open = word;
    } else open = longer;
  }
  if (words.size > 0) payloads.push(open);
  return payloads;
}
