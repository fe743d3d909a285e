import { alertChanged, alertClosed, alertOpened, breakerTripped, type DeclaredEvent } from '@gpuaas/contract';
import { type BeginAct, type Database, systemViewer } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Ids } from '../../kernel/id.ts';
import type { Reconciler } from '../../kernel/process/reconciler.ts';
import { listUnpublished, markPublished } from './breaker-store.ts';
import { publishedAtOnce } from './facts.ts';
import { takeSql, waitingSql } from './publish-store.ts';

interface Change {
  readonly what: 'opened' | 'changed' | 'closed';
  readonly effect_before: string | null;
  readonly alert: Parameters<typeof alertOpened.of>[1];
}
const eventOf = ({ what, effect_before, alert }: Change): DeclaredEvent => {
  const key = alert.node_id ?? alert.alert_id;
  if (what === 'opened') return alertOpened.of(key, alert);
  if (what === 'closed') return alertClosed.of(key, alert);
  return alertChanged.of(key, { ...alert, effect_before: effect_before ?? alert.effect });
};

/** Publishes changes of alerts and breakers as events, in acts of the platform: the act that changed an alert may have been a tenant's. */
export function makeAlertPublisher(parts: {
  readonly db: Database;
  readonly begin: BeginAct;
  readonly ids: Ids;
}): Reconciler {
  const { db, begin, ids } = parts;
  return {
    name: 'alert-publisher',
    async round() {
      const viewer = systemViewer('attention', { correlationId: ids.next() });
      const [changes] = await db.read(viewer, (tx) => tx.rows<{ waiting: boolean }>(waitingSql));
      if (!changes?.waiting) return 'idle';
      const published = await db.write(begin('alert.publish', { correlationId: ids.next() }), async (tx) => {
        const changes = await tx.rows<Change>(takeSql, [publishedAtOnce]);
        const tripped = await listUnpublished(tx, publishedAtOnce);
        if (changes.length + tripped.length === 0) {
          return tx.abandon(new Fault('alert_not_found', 'Another process has published it.'));
        }
        if (tripped.length > 0) {
          await markPublished(
            tx,
            tripped.map(({ id }) => id),
          );
        }
        return tx.commit(changes.length, {
          target: { type: 'alerts', id: 'all' },
          change: { changes: changes.length, tripped: tripped.map(({ id }) => id) },
          events: [
            ...changes.map(eventOf),
            ...tripped.map(({ id, kind, region, sku, tripped_at }) =>
              breakerTripped.of(id, { breaker_id: id, kind, region, sku, tripped_at: tripped_at.toISOString() }),
            ),
          ],
        });
      });
      return !(published instanceof Fault) && published.value === publishedAtOnce ? 'more' : 'idle';
    },
  };
}
