import { addYears } from '../../laws/history/years.ts';
import { type CapacitySetup, setUpCapacity } from '../capacity-setup.ts';
import { type Installation, openInstallation } from '../installation.ts';
import type { Options } from '../options.ts';
import { type Report, short } from '../report.ts';
import { medianWithInterval, quantile } from '../statistics.ts';

/**
 * What reads cost as history grows, over HTTP, one request at a time: the balance, and lists at their first page and deep in the past
 * by cursor, in turn. First with a short history, then with one ten times as long. An allocation of the history has five entries in
 * the ledger and ten rows in the audit log.
 */
const longer = 10;
const pageSize = 50;
/** As deep as there are pages, and no deeper than this. */
const deepest = 1_000;
const goals = { balanceMs: 5, listMs: 10, depth: 1.2, growth: 1.3 };

interface List {
  readonly name: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}
interface Measured {
  readonly name: string;
  readonly first: readonly number[];
  readonly deep: readonly number[];
  readonly pages: number;
}

export async function measureReads(options: Options, report: Report): Promise<void> {
  const installation = await openInstallation();
  try {
    const setup = await setUpCapacity(installation, {
      poolSize: options.poolSize,
      policies: {
        'rate_limit.read_requests_per_minute': 1_000_000,
        'rate_limit.financial_requests_per_minute': 1_000_000,
      },
    });
    const shortOne = Math.max(100, Math.round((options.allocations.at(-1) ?? 0) / (2 * longer)));
    const organizationId = await organizationOf(installation, setup);
    const balance = `/api/v1/organizations/${organizationId}/billing/balance`;
    const lists: readonly List[] = [
      { name: 'balance', path: balance, headers: {} },
      { name: 'ledger', path: `/api/v1/organizations/${organizationId}/billing/ledger`, headers: {} },
      { name: 'allocations', path: '/api/v1/allocations', headers: { 'x-project-id': setup.buyer.project } },
      { name: 'audit log', path: `/api/v1/organizations/${organizationId}/audit-logs`, headers: {} },
    ];
    const requests = 50 * options.seconds;
    const rounds: Measured[][] = [];
    for (const count of [shortOne, shortOne * (longer - 1)]) {
      await addHistory(installation, setup, organizationId, count);
      const measured: Measured[] = [];
      for (const list of lists) measured.push(await measureList(setup, list, requests, report));
      rounds.push(measured);
    }
    const [short1, long] = rounds as [Measured[], Measured[]];
    show(report, short1, long, { allocations: shortOne * longer, requests });
  } finally {
    await installation.close();
  }
}

async function organizationOf({ admin }: Installation, { buyer }: CapacitySetup): Promise<string> {
  const { rows } = await admin.query<{ id: string }>('select organization_id as id from projects where id = $1', [
    buyer.project,
  ]);
  return rows[0]?.id ?? '';
}

async function addHistory({ admin }: Installation, { buyer }: CapacitySetup, organizationId: string, count: number) {
  const nodeId = '00000000-0000-7000-a000-000000000001';
  await admin.query('begin');
  await admin.query('set local session_replication_role = replica');
  await admin.query(`insert into regions (slug, name) values ('here', 'Here') on conflict do nothing`);
  await admin.query(
    `insert into nodes (id, name, region, sku, gpus_total, state, schedulable)
     select $1, 'history', 'here', slug, 8, 'active', false from skus limit 1 on conflict do nothing`,
    [nodeId],
  );
  await admin.query('commit');
  const { rows } = await admin.query<{ sku: string }>('select sku from nodes where id = $1', [nodeId]);
  const of = { nodeId, sku: rows[0]?.sku ?? '', region: 'here', allocationsPerYear: count, years: 1, endedYearsAgo: 0 };
  await addYears(admin, { ...of, organizationId, projectId: buyer.project });
  await admin.query('vacuum analyze');
}

async function measureList(setup: CapacitySetup, list: List, requests: number, report: Report): Promise<Measured> {
  const isList = list.name !== 'balance';
  const ask = async (cursor?: string) => {
    const query = isList ? `?limit=${pageSize}${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}` : '';
    const began = performance.now();
    const answer = await fetch(`${setup.url}${list.path}${query}`, {
      headers: { authorization: `Bearer ${setup.buyer.token}`, ...list.headers },
    });
    const body = (await answer.json()) as { next_cursor?: string | null };
    const ms = performance.now() - began;
    if (answer.status !== 200) throw new Error(`${list.name}: ${answer.status} ${JSON.stringify(body)}`);
    return { ms, next: body.next_cursor ?? undefined };
  };
  let cursor: string | undefined;
  let pages = 1;
  for (let next = (await ask()).next; isList && next && pages < deepest; pages += 1) {
    const page = await ask(next);
    // The last page is shorter than the others: the one before it is the deepest.
    if (!page.next) break;
    cursor = next;
    next = page.next;
  }
  const [first, deep]: [number[], number[]] = [[], []];
  for (let at = 0; at < requests; at += 1) {
    first.push((await ask()).ms);
    if (isList) deep.push((await ask(cursor)).ms);
  }
  report.sample({ benchmark: 'billing', read: list.name, pages, first, deep });
  return { name: list.name, first, deep, pages };
}

function show(
  report: Report,
  before: readonly Measured[],
  after: readonly Measured[],
  of: { readonly allocations: number; readonly requests: number },
): void {
  const p99 = (values: readonly number[]) => (values.length > 0 ? quantile(values, 0.99) : Number.NaN);
  const median = (values: readonly number[]) => medianWithInterval(values).median;
  report.table({
    title: `Reads over HTTP, one at a time, ${of.requests} each; ${of.allocations} allocations in the longer history`,
    columns: ['read', 'history', 'p50 ms', 'p99 ms', 'pages', 'deep p50 ms', 'deep p99 ms'],
    rows: [before, after].flatMap((each, at) =>
      each.map(({ name, first, deep, pages }) => [
        ...[name, at === 0 ? 'short' : 'long', short(median(first)), short(p99(first))],
        ...(deep.length > 0 ? [String(pages), short(median(deep)), short(p99(deep))] : ['', '', '']),
      ]),
    ),
  });
  const single = (value: number) => ({ median: value, low: value, high: value });
  for (const [at, { name, first, deep }] of after.entries()) {
    const isList = deep.length > 0;
    report.verdict({
      ...{ claim: `${name}, p99`, unit: 'ms', found: single(p99(first)) },
      goal: { at: 'most', value: isList ? goals.listMs : goals.balanceMs },
    });
    report.verdict({
      claim: `${name}, p50 with ten times the history`,
      found: single(median(first) / median(before[at]?.first ?? [])),
      goal: { at: 'most', value: goals.growth },
    });
    if (isList)
      report.verdict({
        claim: `${name}, p50 deep in the past over the first page`,
        found: single(median(deep) / median(first)),
        goal: { at: 'most', value: goals.depth },
      });
  }
}
