import { billingLastReleaseGet, type LastRelease } from '@gpuaas/contract';
import { type Database, handlers } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import { oneReleaseMs, releasedRows, releaseToldMs } from '../facts.ts';
import { findAccount } from '../ledger-store.ts';
import { money } from '../money.ts';
import { listReleased, type ReleasedRow } from './store.ts';

interface Parts {
  readonly db: Database;
}
const on = handlers<Parts>();
const show = (row: ReleasedRow) => ({
  id: row.id,
  name: row.name,
  project_id: row.project_id,
  project_name: row.project_name,
  sku: row.sku,
  gpu_count: row.gpu_count,
  released_at: row.released_at.toISOString(),
  cost: money(row.charged_minor, row.currency),
});

/** The story of the last release for lack of money, for people who come back and find nothing running. */
export const lastRelease = on(billingLastReleaseGet, async ({ db }, who, { params }) => {
  const of = { toldMs: releaseToldMs, togetherMs: oneReleaseMs, limit: releasedRows };
  const [account, rows] = await db.read(who, (tx) =>
    Promise.all([findAccount(tx, params.organization_id), listReleased(tx, params.organization_id, of)]),
  );
  if (!account) return new Fault('organization_not_found', 'There is no such object.');
  const [first] = rows;
  return {
    organization_id: account.organization_id,
    release: first
      ? {
          from: first.from_at.toISOString(),
          to: first.to_at.toISOString(),
          count: first.released,
          cost: money(first.total_minor, first.currency),
          allocations: rows.map(show),
        }
      : null,
  } satisfies LastRelease;
});
