import type { Client } from 'pg';
import { accrueSql, makeAccrue, metersAtOnce } from '../../../server/src/domains/billing/index.ts';
import { actsOf } from '../../../server/src/kernel/act.ts';
import { systemClock } from '../../../server/src/kernel/clock.ts';
import { systemIds } from '../../../server/src/kernel/id.ts';
import { silentLog } from '../../../server/src/kernel/telemetry/log.ts';
import { openPostgres } from '../../../server/src/ports/database/postgres.ts';
import { type Installation, openInstallation } from '../installation.ts';
import { durableSettings } from '../machine.ts';
import type { Options } from '../options.ts';
import { cpuSeconds } from '../processes.ts';
import { interval, type Report, ratioOf, short } from '../report.ts';
import { interleaved, medianWithInterval } from '../statistics.ts';
import { addMeters } from './load.ts';
import { accrueByPsql, insertByPsql } from './psql.ts';

/**
 * One window of a minute is charged for every allocation of a size: windows, entries in sealed ledgers, sums by day, and meters that
 * move on. Ours is the accrual of the billing-worker until nothing is due; beside it the same statement from psql, and the least
 * that charging could be. All sizes lie in one database, and only the size that is measured has evidence that was not charged.
 */
const sides = ['accrual', 'the same statement from psql', 'one INSERT from psql'] as const;
const organizations = 2_000;
const windowSeconds = 60;
/** Rounds of the largest size: each of them charges it once for each side. */
const mostRounds = 3;
const first = Date.parse('2026-04-01T00:00:00Z');
const goals = { ofPsql: 0.75, growth: 60, perRow: 1.1, perSecond: 100_000, tickMs: 1_500 };

interface Found {
  readonly size: number;
  readonly ms: Record<(typeof sides)[number], number[]>;
  readonly cpuUs: Record<(typeof sides)[number], number[]>;
}

export async function measureAccrual(options: Options, report: Report): Promise<void> {
  const installation = await openInstallation();
  const { admin } = installation;
  try {
    report.say(`Settings: ${JSON.stringify(await durableSettings(admin))}`);
    await admin.query(`create table bench_windows (resource_id uuid, meter text, from_at timestamptz, amount_minor bigint,
      primary key (resource_id, meter, from_at))`);
    for (const size of options.allocations) {
      const load = { allocations: size, organizations: Math.min(organizations, size), requestedBy: `size-${size}` };
      // Their first window is charged before anything is measured.
      await addMeters(admin, { ...load, from: new Date(first), minutes: 1, charged: 1 });
    }
    await admin.query('vacuum analyze');
    const found = await runAll(installation, options, report);
    show(report, found);
    judge(report, found);
  } finally {
    await installation.close();
  }
}

async function runAll(installation: Installation, options: Options, report: Report): Promise<Found[]> {
  const { admin } = installation;
  const port = await openPostgres({
    ...{ url: installation.urlFor('gpuaas_billing'), clock: systemClock, ids: systemIds, log: silentLog },
    ...{ name: 'bench', poolSize: 2 },
  });
  const accrue = makeAccrue({ db: port.database, begin: actsOf('billing-worker', systemIds), ids: systemIds });
  const charge = async (size: number, side: (typeof sides)[number]): Promise<number> => {
    const pages = Math.ceil(size / metersAtOnce);
    if (side === sides[1])
      return accrueByPsql(installation.adminUrl(), accrueSql, { pages, page: metersAtOnce, windowSeconds });
    if (side === sides[2]) return insertByPsql(installation.adminUrl(), `size-${size}`);
    const began = performance.now();
    while (await accrue(windowSeconds));
    return performance.now() - began;
  };
  const none = () => Object.fromEntries(sides.map((side) => [side, [] as number[]])) as Found['ms'];
  const found = options.allocations.map((size): Found => ({ size, ms: none(), cpuUs: none() }));
  try {
    for (const [round, order] of interleaved(sides, Math.min(options.pairs, mostRounds)).entries()) {
      for (const { size, ms, cpuUs } of found) {
        for (const side of order) {
          const minute = await proveOneMore(admin, `size-${size}`);
          await admin.query('checkpoint');
          const before = { own: process.cpuUsage(), postgres: cpuSeconds([installation.postgresPid]) };
          const took = await charge(size, side);
          const own = process.cpuUsage(before.own);
          const cpu = (cpuSeconds([installation.postgresPid]) - before.postgres) * 1e6 + own.user + own.system;
          ms[side].push(took);
          cpuUs[side].push(cpu / size);
          report.sample({ benchmark: 'billing', round, size, side, ms: took, cpuUs: cpu / size });
          // The bare INSERT moves no meter: what it left due is charged before the next side begins.
          if (side === sides[2]) while (await accrue(windowSeconds));
          await check(admin, report, { size, minute });
        }
      }
    }
  } finally {
    await port.close();
  }
  return found;
}

/** Evidence of one more minute for all meters of a size. Answers when that minute begins. */
async function proveOneMore(admin: Client, requestedBy: string): Promise<Date> {
  await admin.query('begin');
  await admin.query('set local session_replication_role = replica');
  await admin.query(
    `insert into usage_evidence (allocation_id, organization_id, node_id, generation, sequence, from_at, to_at, counts_from,
       counts_to, gpus, record, digest, result_key)
     select m.resource_id, m.organization_id, a.node_id, 1, extract(epoch from m.evidence_to)::bigint, m.evidence_to,
       m.evidence_to + interval '1 minute', m.evidence_to, m.evidence_to + interval '1 minute', 1, r.record,
       sha256(convert_to(r.record, 'UTF8')), 'k'
     from usage_meters m join allocations a on a.id = m.resource_id
       cross join lateral (select m.resource_id || ' ' || m.evidence_to as record) r
     where m.requested_by = $1`,
    [requestedBy],
  );
  const { rows } = await admin.query<{ minute: Date }>(
    `update usage_meters set evidence_to = evidence_to + interval '1 minute' where requested_by = $1
     returning evidence_to - interval '1 minute' as minute`,
    [requestedBy],
  );
  await admin.query('commit');
  return rows[0]?.minute as Date;
}

/** Every allocation has the window once, nothing is due, and balances are the sums of their ledgers. */
async function check(admin: Client, report: Report, of: { readonly size: number; readonly minute: Date }) {
  const { rows } = await admin.query<{ windows: number; due: number; wrong: number }>(
    `select (select count(*)::int from usage_windows w where w.requested_by = $1 and w.from_at = $2) as windows,
       (select count(*)::int from usage_meters m where m.accrued_to < m.evidence_to) as due,
       (select count(*)::int from billing_accounts b left join (select organization_id, sum(amounts[1]) as sum from ledger_entries
          group by 1) l using (organization_id) where b.balance_minor <> coalesce(l.sum, 0)) as wrong`,
    [`size-${of.size}`, of.minute],
  );
  const { windows, due, wrong } = rows[0] ?? { windows: 0, due: 0, wrong: 0 };
  if (windows !== of.size) report.violated(`${of.size} allocations: ${windows} windows of ${of.minute.toISOString()}`);
  if (due !== 0) report.violated(`${of.size} allocations: ${due} meters are still due`);
  if (wrong !== 0) report.violated(`${of.size} allocations: ${wrong} balances are not the sum of their ledger`);
}

function show(report: Report, found: readonly Found[]): void {
  report.table({
    title: 'One window of a minute for every allocation',
    columns: ['allocations', 'side', 'ms', '95 %', 'allocations a second', 'CPU us each'],
    rows: found.flatMap(({ size, ms, cpuUs }) =>
      sides.map((side) => {
        const took = medianWithInterval(ms[side]);
        return [
          ...[String(size), side, short(took.median), `${short(took.low)} to ${short(took.high)}`],
          ...[short((size * 1_000) / took.median), short(medianWithInterval(cpuUs[side]).median)],
        ];
      }),
    ),
  });
  const [smallest] = found;
  report.table({
    title: 'Growth of the accrual, within rounds',
    columns: ['from', 'to', 'time grows by', 'time for each allocation grows by', 'CPU for each'],
    rows: found.slice(1).map(({ size, ms, cpuUs }) => {
      const of = smallest as Found;
      const perRow = ms.accrual.map((value) => value / size);
      return [
        ...[String(of.size), String(size), interval(ratioOf(ms.accrual, of.ms.accrual))],
        interval(
          ratioOf(
            perRow,
            of.ms.accrual.map((value) => value / of.size),
          ),
        ),
        interval(ratioOf(cpuUs.accrual, of.cpuUs.accrual)),
      ];
    }),
  });
}

function judge(report: Report, found: readonly Found[]): void {
  const [smallest, largest, before] = [found[0], found.at(-1), found.at(-2)];
  if (!smallest || !largest) return;
  const { size, ms } = largest;
  report.verdict({
    claim: `${size} allocations: accrual over the same statement from psql, by rate`,
    ...{ found: ratioOf(ms[sides[1]], ms.accrual), goal: { at: 'least', value: goals.ofPsql } },
  });
  report.verdict({
    claim: `${size} allocations: accrual over one INSERT from psql, by rate`,
    found: ratioOf(ms[sides[2]], ms.accrual),
  });
  report.verdict({
    claim: `allocations charged in a second, of ${size}`,
    found: medianWithInterval(ms.accrual.map((value) => (size * 1_000) / value)),
    goal: { at: 'least', value: goals.perSecond },
  });
  if (!before) return;
  report.verdict({
    claim: `growth of the time from ${smallest.size} to ${size} allocations`,
    found: ratioOf(ms.accrual, smallest.ms.accrual),
    ...(size / smallest.size === 100 && { goal: { at: 'most', value: goals.growth } as const }),
  });
  report.verdict({
    claim: `growth of the time for each from ${before.size} to ${size} allocations`,
    found: ratioOf(
      ms.accrual.map((value) => value / size),
      before.ms.accrual.map((value) => value / before.size),
    ),
    goal: { at: 'most', value: goals.perRow },
  });
  if (size === 100_000)
    report.verdict({
      ...{ claim: `a minute of ${size} allocations`, unit: 'ms', found: medianWithInterval(ms.accrual) },
      goal: { at: 'most', value: goals.tickMs },
    });
}
