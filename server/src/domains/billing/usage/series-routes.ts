import { billingUsageList, projectUsageList, type UsagePoint } from '@gpuaas/contract';
import { type Database, handlers, type Mounted, type Viewer } from '../../../kernel/act.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import { readPage } from '../../../kernel/page.ts';
import { secondMs } from '../../../kernel/units.ts';
import { lengthOfDayMs, mostHourDays, usualSeriesRows } from '../facts.ts';
import { findAccount } from '../ledger-store.ts';
import type { Meter } from '../meters.ts';
import { money } from '../money.ts';
import { periodOf } from '../period.ts';
import { listPoints, type PointRow } from './series-store.ts';

interface Parts {
  readonly db: Database;
  readonly clock: Clock;
}
const on = handlers<Parts>();

interface Asked {
  readonly from?: string;
  readonly to?: string;
  readonly interval?: 'hour' | 'day' | 'month';
  readonly group_by?: string;
  readonly project_id?: string;
  readonly sku?: string;
  readonly requested_by?: string;
  readonly allocation_id?: string;
  readonly meter?: Meter;
  readonly cursor?: string;
  readonly limit?: number;
}

async function series({ db, clock }: Parts, who: Viewer, query: Asked, organizationId: string) {
  const period = periodOf(query, clock.now());
  if (period instanceof Fault) return period;
  const { interval = 'day', group_by: group = 'none' } = query;
  if (interval === 'hour' && Date.parse(period.to) - Date.parse(period.from) >= mostHourDays * lengthOfDayMs) {
    return new Fault('period_invalid', `Hours are shown for at most ${mostHourDays} days. Ask for fewer, or for days.`);
  }
  const account = await db.read(who, (tx) => findAccount(tx, organizationId));
  if (!account) return undefined;
  const of = {
    ...{ organizationId, ...period, projectId: query.project_id, sku: query.sku },
    ...{ requestedBy: query.requested_by, allocationId: query.allocation_id, meter: query.meter },
  };
  const show = (row: PointRow): UsagePoint => ({
    at: new Date(Number(row.at) * secondMs).toISOString(),
    key: row.key,
    name: row.name,
    amount: money(row.amount_minor, account.currency),
    meter: row.meter,
    quantity_ms: row.quantity_ms.toString(),
  });
  return readPage({
    name: `usage-${interval}-${group}`,
    query: { ...query, limit: query.limit ?? usualSeriesRows },
    key: 'timeAndText',
    read: (after, limit) => {
      const dot = after?.indexOf('.') ?? -1;
      const at = after === undefined ? undefined : { at: after.slice(0, dot), key: after.slice(dot + 1) };
      return db.read(who, (tx) => listPoints(tx, of, { interval, group }, at, limit));
    },
    keyOf: (row) => `${row.at}.${row.key}`,
    show,
  });
}

const ofOrganization = on(
  billingUsageList,
  async (parts, who, { params, query }) =>
    (await series(parts, who, query, params.organization_id)) ??
    new Fault('organization_not_found', 'There is no such object.'),
);
const ofProject = on(projectUsageList, async (parts, who, { query }) => {
  const organizationId = who.organizationId;
  const found = await series(parts, who, { ...query, project_id: who.projectId }, organizationId);
  if (!found) throw new Error(`organization ${organizationId} has no billing account`);
  return found;
});

export const seriesRoutes = (parts: Parts): Mounted[] => [ofOrganization, ofProject].map((bind) => bind(parts));
