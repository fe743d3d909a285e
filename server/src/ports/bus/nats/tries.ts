import { type Outcome, sayWhy, tryDelivery } from '../attempt.ts';
import type { BusLog } from '../log.ts';
import type { Consumer } from '../port.ts';
import type { Hands, Held } from './hands.ts';
import { type Records, triesSubject } from './records.ts';

/** Tries one message, and notes the try down before and after, so that it is counted even if the process dies of it. */
export function makeTry(options: {
  readonly consumer: Consumer;
  readonly records: Records;
  readonly hands: Hands;
  readonly log: BusLog;
}): (held: Held) => Promise<Outcome> {
  const { consumer, records, hands, log } = options;
  const complain = (what: string) => (error: unknown) => {
    log.warn({ consumer: consumer.name, reason: sayWhy(error) }, what);
    return undefined;
  };

  return async (held: Held): Promise<Outcome> => {
    const { message, unreadable } = held.received;
    const notes = () => triesSubject(consumer.name, message.id);
    if (held.tries === undefined) {
      const found = await records.read(notes()).catch(complain('tries could not be read'));
      const { tries, reason } = (found?.body ?? {}) as { tries?: unknown; reason?: unknown };
      held.tries = typeof tries === 'number' ? tries : 0;
      held.reason = typeof reason === 'string' ? reason : undefined;
    }
    const attempt = ++held.tries;
    // Counted before the try, so that a message which takes the whole process down reaches its end too.
    if (held.msg.info.deliveryCount > 1 && unreadable === undefined)
      await records.write(notes(), { tries: attempt }).catch(complain('a try could not be noted'));
    const known = { unreadable, lastReason: held.reason };
    const outcome = await tryDelivery('nats', consumer, { message, attempt }, known);
    if (outcome === 'done') {
      held.msg.ack();
      hands.letGo(held);
    } else {
      held.reason = outcome.reason;
      await records
        .write(notes(), { tries: attempt, reason: outcome.reason })
        .catch(complain('a try could not be noted'));
      log.warn({ consumer: consumer.name, message: message.id, attempt, ...outcome }, 'a message will be tried again');
    }
    return outcome;
  };
}
