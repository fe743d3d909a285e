import { type Breaker, breakerList, breakerReset, breakerResetEvent } from '@gpuaas/contract';
import { type Database, handlers, type Mounted } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import { readPage } from '../../kernel/page.ts';
import { resetIn } from './breaker.ts';
import { type BreakerRow, findBreaker, listBreakers } from './breaker-store.ts';

interface Parts {
  readonly db: Database;
}
const on = handlers<Parts>();
const show = ({ first_leaves_at, ...row }: BreakerRow): Breaker => ({
  ...row,
  tripped_at: row.tripped_at?.toISOString() ?? null,
  resumes_at: row.taken >= row.allowed ? (first_leaves_at?.toISOString() ?? null) : null,
  held_back: row.held_back.map((held) => ({ ...held, since: new Date(held.since).toISOString() })),
});

const list = on(breakerList, ({ db }, who, { query }) =>
  readPage({
    name: 'breakers',
    query,
    read: (before, limit) =>
      db.read(who, (tx) =>
        listBreakers(tx, { before, limit, ...(query.tripped && { tripped: query.tripped === 'true' }) }),
      ),
    keyOf: (row) => row.id,
    show,
  }),
);

const reset = on(breakerReset, ({ db }, act, { params, body }) =>
  db.write(act, async (tx) => {
    const row = await findBreaker(tx, params.breaker_id);
    if (!row) return tx.abandon(new Fault('breaker_not_found', 'There is no such breaker.'));
    if (!(await resetIn(tx, row))) {
      return tx.abandon(new Fault('illegal_transition', 'It has not tripped: automation works in this pool.'));
    }
    const { id, kind, region, sku } = row;
    return tx.commit(show({ ...row, tripped_at: null, held_back: [] }), {
      target: { type: 'breaker', id },
      change: { kind, region, sku, reason: body.reason, held_back: row.held_back.map(({ node_name }) => node_name) },
      events: [breakerResetEvent.of(id, { breaker_id: id, kind, region, sku, reason: 'operator' })],
    });
  }),
);

export const breakerRoutes = (parts: Parts): Mounted[] => [list, reset].map((bind) => bind(parts));
