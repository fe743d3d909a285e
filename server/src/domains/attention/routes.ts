import { type Alert, alertClear, alertList, alertRaise } from '@gpuaas/contract';
import { type Database, handlers, type Mounted } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Ids } from '../../kernel/id.ts';
import { readPage } from '../../kernel/page.ts';
import { type AlertRow, deleteAlert, findAlert, findTarget, insertAlert, listAlerts } from './store.ts';

interface Parts {
  readonly db: Database;
  readonly ids: Ids;
  /** Forgets what is remembered of the catalog: what is free may be different now. */
  readonly changed: () => void;
}
const on = handlers<Parts>();
const show = (row: AlertRow): Alert => ({ ...row, since: row.since.toISOString() });

const list = on(alertList, ({ db }, who, { query }) =>
  readPage({
    name: 'alerts',
    query,
    read: (before, limit) => db.read(who, (tx) => listAlerts(tx, query, before, limit)),
    keyOf: (row) => row.id,
    show,
  }),
);

const raise = on(alertRaise, async ({ db, ids, changed }, act, { body }) => {
  const written = await db.write(act, async (tx) => {
    const target = await findTarget(tx, body.node_id, body.slot_id);
    if (!target) return tx.abandon(new Fault('node_not_found', 'There is no such object.'));
    if (body.slot_id !== undefined && !target.has_slot) {
      return tx.abandon(new Fault('slot_not_found', 'There is no such object.'));
    }
    const id = ids.next();
    await insertAlert(tx, {
      // Operators may say several things about one target, so each has a kind of its own.
      ...{ id, kind: `operator_${id.replaceAll('-', '')}`, effect: body.effect, message: body.message },
      ...{ node_id: body.node_id, slot_id: body.slot_id ?? null, tenant_message: body.tenant_message ?? null },
      raised_by: act.actorId,
    });
    const row = (await findAlert(tx, id)) as AlertRow;
    return tx.commit(show(row), { target: { type: 'alert', id }, change: body, events: 'none' });
  });
  changed();
  return written;
});

const clear = on(alertClear, async ({ db, changed }, act, { params, body }) => {
  const written = await db.write(act, async (tx) => {
    const row = await findAlert(tx, params.alert_id);
    if (!row) return tx.abandon(new Fault('alert_not_found', 'There is no such object.'));
    if (row.source !== 'operator') {
      return tx.abandon(
        new Fault('illegal_transition', `It comes from ${row.source} and clears itself when that has healed.`),
      );
    }
    await deleteAlert(tx, row.id);
    return tx.commit(show(row), {
      target: { type: 'alert', id: row.id },
      change: { cleared: row.message, node_id: row.node_id, reason: body.reason },
      events: 'none',
    });
  });
  changed();
  return written;
});

export const alertRoutes = (parts: Parts): Mounted[] => [list, raise, clear].map((bind) => bind(parts));
