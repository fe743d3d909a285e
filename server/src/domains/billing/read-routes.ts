import {
  adminBillingLedgerList,
  type BillingBalance,
  billingBalanceGet,
  billingLedgerList,
  billingLedgerVerify,
  billingUsageGet,
  billingWindowList,
  type LedgerCheck,
  type LedgerLine,
  projectUsageGet,
  type UsageReport,
  type UsageWindow,
} from '@gpuaas/contract';
import { type Database, handlers, type Mounted, type Viewer } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { readPage } from '../../kernel/page.ts';
import type { Policies } from '../policy/index.ts';
import { mostUsageRows } from './facts.ts';
import { runwaySeconds } from './ladder/decide.ts';
import { lastRelease } from './ladder/release-routes.ts';
import { rulesOf } from './ladder/rules.ts';
import { stepsOf } from './ladder/steps.ts';
import { findStanding } from './ladder/store.ts';
import { findAccount, findWrongDay, findWrongUsage, type Verified, verifyChain } from './ledger-store.ts';
import { kindOfMeter } from './meters.ts';
import { money } from './money.ts';
import { periodOf } from './period.ts';
import { findLine, type LineRow, listLines, listWindows, readChargedTo, type WindowRow } from './read-store.ts';
import type { Filters } from './usage/series-store.ts';
import { readTotals } from './usage/totals-store.ts';

interface Parts {
  readonly db: Database;
  readonly clock: Clock;
  readonly policies: Policies;
}
const on = handlers<Parts>();
const absent = () => new Fault('organization_not_found', 'There is no such object.');

const balance = on(billingBalanceGet, async ({ db, clock, policies }, who, { params }) => {
  const [account, standing, chargedTo] = await db.read(who, (tx) =>
    Promise.all([
      findAccount(tx, params.organization_id),
      findStanding(tx, params.organization_id),
      readChargedTo(tx, params.organization_id),
    ]),
  );
  if (!account) return absent();
  const perHour = standing?.burning ?? 0n;
  const isStopFirst = standing?.stops_at?.getTime() !== standing?.releases_at?.getTime();
  const runway = runwaySeconds(standing?.spendable ?? account.balance_minor, perHour);
  const rules = rulesOf(policies, account.organization_id);
  const minimumMinutes = policies.number('billing.minimum_runway_minutes', who);
  return {
    organization_id: account.organization_id,
    balance: money(account.balance_minor, account.currency),
    held: money(account.held_minor, account.currency),
    per_hour: money(perHour, account.currency),
    runway_seconds: runway ?? null,
    state: standing?.state ?? 'healthy',
    stops_at: (isStopFirst && standing?.stops_at?.toISOString()) || null,
    stopped_machines: standing?.stopped ?? 0,
    releases_at: standing?.releases_at?.toISOString() ?? null,
    charged_to: chargedTo?.toISOString() ?? null,
    enforced: rules.enforced,
    minimum_runway_minutes: minimumMinutes,
    low_balance_threshold: money(rules.thresholdMinor, account.currency),
    steps: stepsOf({ rules, minimumMinutes, runway, now: clock.now() }),
    gpu_time_speed: rules.speed,
  } satisfies BillingBalance;
});

const showLine = (row: LineRow): LedgerLine => ({
  id: row.id,
  kind: row.kind,
  day: row.day,
  amount: money(row.amount_minor, row.currency),
  at: row.at?.toISOString() ?? null,
  allocation_id: row.allocation_id,
  allocation_name: row.allocation_name,
  project_id: row.project_id,
  project_name: row.project_name,
  meter: row.meter,
  app_instance_id: row.app_instance_id,
  app_meter: row.app_meter,
  sku: row.sku,
  quantity_ms: row.quantity_ms?.toString() ?? null,
  windows: row.windows,
  reason: row.reason,
  simulated: row.simulated,
});
const pageOfLedger = (
  { db }: Parts,
  who: Viewer,
  organizationId: string,
  query: { readonly cursor?: string; readonly limit?: number },
) =>
  readPage({
    name: 'ledger',
    query,
    key: 'dayAndUuid',
    read: (before, limit) => {
      const [day, id] = before?.split('.') ?? [];
      const at = day !== undefined && id !== undefined ? { day, id } : undefined;
      return db.read(who, (tx) => listLines(tx, organizationId, at, limit));
    },
    keyOf: (row) => `${row.day_number}.${row.id}`,
    show: showLine,
  });
const ledger = on(billingLedgerList, (parts, who, { params, query }) =>
  pageOfLedger(parts, who, params.organization_id, query),
);
/** Finance reads the ledger of any organization: who corrects a line has to see it. */
const ledgerOfAny = on(adminBillingLedgerList, async (parts, who, { params, query }) => {
  const account = await parts.db.read(who, (tx) => findAccount(tx, params.organization_id));
  if (!account) return absent();
  // The page reaches no other organization, and is read by the same plan as the organization's own.
  const within = { ...who, reach: 'organization', organizationId: params.organization_id } as const;
  return pageOfLedger(parts, within, params.organization_id, query);
});

const showWindow = (row: WindowRow): UsageWindow => ({
  id: row.id,
  from: row.from_at.toISOString(),
  to: row.to_at.toISOString(),
  quantity_ms: row.quantity_ms.toString(),
  unit: row.unit,
  rate_micro: row.rate_micro.toString(),
  price_id: row.price_id,
  amount: money(row.amount_minor, row.currency),
  charged: money(row.charged_minor, row.currency),
});
const windows = on(billingWindowList, async ({ db }, who, { params, query }) => {
  const line = await db.read(who, (tx) => findLine(tx, params.organization_id, params.line_id));
  if (!line) return new Fault('ledger_line_not_found', 'There is no such line of usage.');
  return readPage({
    name: 'ledger-windows',
    query,
    key: 'number',
    read: (after, limit) => db.read(who, (tx) => listWindows(tx, line, after, limit)),
    keyOf: (row) => row.key.toString(),
    show: showWindow,
  });
});

/** What does not fit, as one sentence; the first thing first. */
function problemOf(
  found: Verified,
  usage: string | undefined,
  day: { readonly resource_id: string; readonly meter: string; readonly day: string } | undefined,
): string | null {
  if (found.wrong_link !== null) return `Link ${found.wrong_link} of the chain does not fit its entries.`;
  if (!found.ends_here) return 'The last link of the chain is missing.';
  if (found.entries !== found.counted) return `There are ${found.entries} entries, and ${found.counted} were entered.`;
  if (found.sum !== found.balance_minor) return 'The balance is not the sum of the entries.';
  if (usage !== undefined) return `Entry ${usage} does not fit the usage that it charges.`;
  if (!day) return null;
  const what = { gpu_time: 'allocation', storage: 'the files of project', app_units: 'app instance' }[
    kindOfMeter(day.meter)
  ];
  return `The total of ${day.day} for ${what} ${day.resource_id} is not the sum of its windows.`;
}
const verify = on(billingLedgerVerify, async ({ db, clock }, who, { params }) => {
  const { found, usage, day } = await db.read(who, async (tx) => ({
    found: await verifyChain(tx, params.organization_id),
    usage: await findWrongUsage(tx, params.organization_id),
    day: await findWrongDay(tx, params.organization_id),
  }));
  if (!found) return absent();
  const problem = problemOf(found, usage, day);
  return {
    ok: problem === null,
    entries: Number(found.entries),
    sum: money(found.sum, found.currency),
    balance: money(found.balance_minor, found.currency),
    problem,
    checked_at: clock.now().toISOString(),
  } satisfies LedgerCheck;
});

interface UsageQuery {
  readonly from?: string;
  readonly to?: string;
  readonly group_by?: UsageReport['group_by'];
  readonly sku?: string;
  readonly requested_by?: string;
  readonly allocation_id?: string;
  readonly meter?: Filters['meter'];
}
async function report(
  { db, clock }: Parts,
  who: Viewer,
  query: UsageQuery,
  of: Pick<Filters, 'organizationId' | 'projectId'>,
): Promise<UsageReport | Fault<'period_invalid'> | undefined> {
  const period = periodOf(query, clock.now());
  if (period instanceof Fault) return period;
  const by = query.group_by ?? 'day';
  const filters = {
    ...{ ...of, ...period, sku: query.sku },
    ...{ requestedBy: query.requested_by, allocationId: query.allocation_id, meter: query.meter },
  };
  const [account, rows] = await db.read(who, (tx) =>
    Promise.all([findAccount(tx, of.organizationId), readTotals(tx, by, filters, mostUsageRows)]),
  );
  if (!account) return undefined;
  const { currency } = account;
  return {
    ...period,
    group_by: by,
    total: money(rows[0]?.total_minor ?? 0n, currency),
    rows: rows.map((row) => ({
      key: row.key,
      name: row.name,
      amount: money(row.amount_minor, currency),
      meter: row.meter,
      quantity_ms: row.quantity_ms.toString(),
      simulated: row.simulated,
    })),
  };
}
const usage = on(billingUsageGet, async (parts, who, { params, query }) => {
  const found = await report(parts, who, query, {
    organizationId: params.organization_id,
    projectId: query.project_id,
  });
  return found ?? new Fault('organization_not_found', 'There is no such object.');
});
const projectUsage = on(projectUsageGet, async (parts, who, { query }) => {
  const of = { organizationId: who.organizationId, projectId: who.projectId };
  const found = await report(parts, who, query, of);
  if (!found) throw new Error(`organization ${of.organizationId} has no billing account`);
  return found;
});

export const readRoutes = (parts: Parts): Mounted[] =>
  [balance, lastRelease, ledger, ledgerOfAny, windows, verify, usage, projectUsage].map((bind) => bind(parts));
