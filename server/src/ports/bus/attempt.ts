import type { Consumer, Delivery } from './port.ts';
import { inHandleSpan, type System } from './spans.ts';

/** What became of one try. `again` names the delay and keeps the reason for the day the message is given up. */
export type Outcome = 'done' | { readonly againInMs: number; readonly reason: string };

export const backoffMs = (consumer: Pick<Consumer, 'backoffMs' | 'maxBackoffMs'>, attempt: number): number =>
  Math.min(consumer.maxBackoffMs, consumer.backoffMs * 2 ** Math.min(attempt - 1, 30));

/**
 * One try of one message. The last failure goes on to `dead` in the same breath; when `dead` itself fails, the message
 * comes back with a count above `maxDeliver` and only `dead` is called again, as often as it takes. A message that
 * nobody can read has no first try.
 */
export async function tryDelivery(
  system: System,
  consumer: Consumer,
  delivery: Delivery,
  known: { readonly unreadable?: string | undefined; readonly lastReason?: string | undefined } = {},
): Promise<Outcome> {
  const { attempt } = delivery;
  let reason = known.unreadable ?? known.lastReason ?? 'the last try did not come to an end';
  if (known.unreadable === undefined && attempt <= consumer.maxDeliver) {
    try {
      await inHandleSpan(system, consumer.name, delivery, () => consumer.handle(delivery));
      return 'done';
    } catch (error) {
      reason = sayWhy(error);
      if (attempt < consumer.maxDeliver) return { againInMs: backoffMs(consumer, attempt), reason };
    }
  }
  try {
    await consumer.dead(delivery, reason);
    return 'done';
  } catch {
    return { againInMs: backoffMs(consumer, attempt), reason };
  }
}

export const sayWhy = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).slice(0, 1_000) || 'no reason given';
