import type { Clock } from '../../kernel/clock.ts';
import { backoffMs } from '../../kernel/process/backoff.ts';
import type { Metrics } from '../../kernel/telemetry/metrics.ts';
import type { Bus, Message, Published } from '../../ports/bus/port.ts';
import type { OutboxRow } from '../../ports/database/port.ts';
import { messageIdOf } from './committed-store.ts';
import { refused as refusedWait } from './facts.ts';

export interface PublishParts {
  readonly bus: Bus;
  readonly bury: (row: OutboxRow, attempts: number, reason: string) => Promise<void>;
  readonly maxAttempts: () => number;
  readonly clock: Clock;
  /** Counts what became of each event. */
  readonly published: ReturnType<Metrics['counter']>;
}

/** Hands rows to the bus until it has taken each; one that it refuses too often is buried. */
export async function publishRows(parts: PublishParts, rows: readonly OutboxRow[], signal: AbortSignal): Promise<void> {
  let waiting = rows;
  for (let attempt = 1; waiting.length > 0; attempt += 1) {
    const outcomes = await parts.bus.publish(waiting.map(messageOf));
    const refused: { row: OutboxRow; reason: string }[] = [];
    for (const [index, row] of waiting.entries()) {
      const outcome: Published | undefined = outcomes[index];
      if (outcome === undefined) throw new Error('the bus did not say what became of an event');
      if (typeof outcome === 'object') refused.push({ row, reason: outcome.refused });
      parts.published.inc({ outcome: typeof outcome === 'object' ? 'refused' : outcome });
    }
    if (refused.length === 0) return;
    if (attempt >= parts.maxAttempts()) {
      for (const { row, reason } of refused) await parts.bury(row, attempt, reason);
      return;
    }
    waiting = refused.map(({ row }) => row);
    await parts.clock.sleep(backoffMs(refusedWait, attempt), signal);
  }
}

const messageOf = (row: OutboxRow): Message => ({
  id: messageIdOf(row),
  subject: row.subject,
  key: row.key,
  envelope: row.envelope,
});
