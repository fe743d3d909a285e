import { allocationStuckList, fleetHealth, type StuckAllocation } from '@gpuaas/contract';
import { type Database, handlers, type Mounted, type ReadTx } from '../../../kernel/act.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { dayMs } from '../../../kernel/units.ts';
import type { Policies } from '../../policy/index.ts';
import { momentsRead, stuckShown } from '../facts.ts';
import { healthSql, stuckSql, waitingForGuestSql } from './fleet-store.ts';

interface HealthRow {
  readonly nodes: Record<string, number>;
  readonly slots: Record<string, number>;
  readonly sellable_slots: number;
  readonly alerts: Record<'blocks_sale' | 'blocks_transition' | 'informs', number>;
  readonly schedulable_nodes: number;
  readonly lost_nodes: number;
  readonly oldest_report_at: Date | null;
  readonly silent_nodes: number;
  readonly open_tasks: number;
  readonly queued_allocations: number;
}
type StuckRow = Omit<StuckAllocation, 'since'> & { readonly since: Date };

interface Parts {
  readonly db: Database;
  readonly clock: Clock;
  readonly policies: Pick<Policies, 'number'>;
}
const on = handlers<Parts>();

export function readStuck(tx: ReadTx, { clock, policies }: Pick<Parts, 'clock' | 'policies'>): Promise<StuckRow[]> {
  const now = clock.now();
  const from = new Date(now.getTime() - policies.number('allocation.stuck_history_days') * dayMs);
  return tx.rows<StuckRow>(stuckSql, [
    now,
    from,
    policies.number('allocation.stuck_floor_seconds'),
    stuckShown,
    momentsRead,
  ]);
}
/** Releases that wait for their machine beyond the time that it has to shut down, and a policy's time more. */
export const countWaitingForGuest = async (
  tx: ReadTx,
  { clock, policies }: Pick<Parts, 'clock' | 'policies'>,
): Promise<number> => {
  const grace = policies.number('allocation.shutdown_alert_seconds');
  const [row] = await tx.rows<{ readonly waiting: number }>(waitingForGuestSql, [clock.now(), grace]);
  return row?.waiting ?? 0;
};
/** The number of nodes and slots in each state. */
export const readHealth = async (tx: ReadTx): Promise<HealthRow> => {
  const [row] = await tx.rows<HealthRow>(healthSql);
  if (!row) throw new Error('a count of everything has always one row');
  return row;
};

const stuck = on(allocationStuckList, async (parts, who) => {
  const rows = await parts.db.read(who, (tx) => readStuck(tx, parts));
  return { data: rows.map((row) => ({ ...row, since: row.since.toISOString() })) };
});

const health = on(fleetHealth, (parts, who) =>
  parts.db.read(who, async (tx) => {
    const row = await readHealth(tx);
    return {
      ...row,
      oldest_report_at: row.oldest_report_at?.toISOString() ?? null,
      stuck_allocations: (await readStuck(tx, parts)).length,
    };
  }),
);

export const fleetRoutes = (parts: Parts): Mounted[] => [stuck, health].map((bind) => bind(parts));
