import { specOf } from '@gpuaas/contract';
import type { BeginAct, Database } from '../../../kernel/act.ts';
import type { Bus, Consuming } from '../../../ports/bus/port.ts';
import { consumeCarefully } from '../../outbox/index.ts';
import { notify, type RelayParts, wake } from './listeners.ts';

/**
 * Operators are notified of dead letters. Their copies on the bus carry the event that was given up, whatever it is. A second
 * delivery finds the rows of the first, so nothing else has to be remembered.
 */
export const notifyOfDeadLetters = (
  parts: RelayParts & { readonly db: Database; readonly bus: Bus; readonly begin: BeginAct },
): Promise<Consuming> =>
  consumeCarefully(parts.bus, {
    name: 'notification-relay-dlq',
    subjects: ['dlq.>'],
    log: parts.log,
    handle: async ({ message: { envelope } }) => {
      const people = new Set<string>();
      const { event_id: id, event_type: type, correlation_id: correlationId } = envelope;
      await parts.db.write(parts.begin('notification.write', { correlationId }), async (tx) => {
        people.clear();
        const payload = { event_id: id, event_type: type };
        const notified = await notify(tx, parts, 'dead_letter', { spec: specOf('dead_letter'), payload, envelope });
        for (const { user_id } of notified.filter(({ shown }) => shown)) people.add(user_id);
        return tx.commit(undefined, { target: { type: 'event', id }, events: 'none' });
      });
      await wake(parts, people);
    },
  });
