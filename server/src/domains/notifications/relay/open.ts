import type { BeginAct, Database } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Reconciler } from '../../../kernel/process/reconciler.ts';
import type { Bus } from '../../../ports/bus/port.ts';
import { startConsumer } from '../../outbox/index.ts';
import { forgetBatch } from '../facts.ts';
import { notifyOfDeadLetters } from './dead-letters.ts';
import { makeRelayListeners, type RelayParts } from './listeners.ts';
import { forgetExpired } from './write-store.ts';

export const relayProcess = 'notification-relay';

/** Consumes the events that people are notified of, and dead letters for operators. */
export async function openNotificationRelay(
  parts: RelayParts & {
    readonly db: Database;
    readonly bus: Bus;
    readonly begin: BeginAct;
    readonly maxAttempts: number;
  },
): Promise<{ lag(): Promise<number>; close(): Promise<void> }> {
  const consumer = await startConsumer({ ...parts, name: relayProcess, listeners: makeRelayListeners(parts) });
  const deadLetters = await notifyOfDeadLetters(parts);
  return {
    lag: () => consumer.lag(),
    async close() {
      await deadLetters.close();
      await consumer.close();
    },
  };
}

/** Removes notifications whose time is over. */
export const makeForgetting = (parts: {
  readonly db: Database;
  readonly begin: BeginAct;
  readonly ids: RelayParts['ids'];
}): Reconciler => ({
  name: 'notification-expiry',
  async round() {
    const act = parts.begin('notification.forget', { correlationId: parts.ids.next() });
    const removed = await parts.db.write(act, async (tx) => {
      const count = await forgetExpired(tx, forgetBatch);
      if (count === 0) return tx.abandon(new Fault('event_not_found', 'Nothing has expired.'));
      return tx.commit(count, { target: { type: 'notifications', id: 'expired' }, change: { count }, events: 'none' });
    });
    return !(removed instanceof Fault) && removed.value === forgetBatch ? 'more' : 'idle';
  },
});
