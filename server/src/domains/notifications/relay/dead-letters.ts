import { specOf } from '@gpuaas/contract';
import type { BeginAct, Database } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Bus, Consuming } from '../../../ports/bus/port.ts';
import { consumeUnchecked } from '../../outbox/index.ts';
import { notify, type RelayParts, wake } from './listeners.ts';
import { findOpenLetter } from './write-store.ts';

/**
 * Operators are notified of dead letters. Their copies on the bus carry the event that was given up, whatever it is; the table
 * says whether there is such a letter, because every process can publish on the bus. A second delivery finds the rows of the
 * first, so nothing else has to be remembered.
 */
export const notifyOfDeadLetters = (
  parts: RelayParts & { readonly db: Database; readonly bus: Bus; readonly begin: BeginAct },
): Promise<Consuming> =>
  consumeUnchecked(parts.bus, {
    name: 'notification-relay-dlq',
    subjects: ['dlq.>'],
    log: parts.log,
    handle: async ({ message: { envelope } }) => {
      const people = new Set<string>();
      const { event_id: id, correlation_id: correlationId } = envelope;
      await parts.db.write(parts.begin('notification.write', { correlationId }), async (tx) => {
        people.clear();
        const letter = await findOpenLetter(tx, id);
        if (!letter) return tx.abandon(new Fault('event_not_found', 'No open dead letter is of this event.'));
        const payload = { event_id: id, event_type: letter.type };
        const notified = await notify(tx, parts, 'dead_letter', { spec: specOf('dead_letter'), payload, envelope });
        for (const { user_id } of notified.filter(({ shown }) => shown)) people.add(user_id);
        return tx.commit(undefined, { target: { type: 'event', id }, events: 'none' });
      });
      await wake(parts, people);
    },
  });
