import type { Clock } from '../../../kernel/clock.ts';
import { type Beginning, runName, type SagaLog } from '../attempts.ts';
import type { Ending, Tried } from '../interpreter.ts';
import { cancelTopic, retryTopic, whyNot } from '../orders.ts';
import type { ListedRun, Order, Ordered, OrderKind, Run, RunAttempted, RunInDetail, SagaRuns } from '../port.ts';
import { type Letter, type Recorded, type Standing, standingOf, workOf } from '../standing.ts';
import { makeJournal } from './journal.ts';
import { openPool } from './pool.ts';

const columns = `r.state, r.beginning, r.began_at, r.ended_at, r.ending, r.fault, r.worker is null as is_waiting, (
    select json_agg(json_build_array(p.name, p.tried, p.began_ms, p.ended_ms) order by p.place)
    from gpuaas_sagas.records p where p.run = r.name
  ) as records, (
    select json_agg(json_build_array(l.topic, l.letter, extract(epoch from l.posted_at) * 1000) order by l.posted_at)
    from gpuaas_sagas.letters l where l.run = r.name
  ) as letters
  from gpuaas_sagas.runs r`;
const isStuck = `'stuck' = (select p.name from gpuaas_sagas.records p where p.run = r.name order by p.place desc limit 1)`;
const listSql = {
  name: 'saga-runs',
  text: `select ${columns}
    where ($1::text is null or starts_with(r.name, $1 || '/')) and ($2::timestamptz is null or r.began_at < $2)
      and ($3::text is null or starts_with(split_part(r.name, '/', 2), $3))
      and ($4::text is null or $4 = case r.state when 'broken' then 'stuck'
        when 'open' then case when ${isStuck} then 'stuck' else 'running' end else r.state end)
    order by r.began_at desc, r.name limit $5`,
};
const findSql = { name: 'saga-run-detail', text: `select ${columns} where r.name = $1` };

interface Row {
  readonly state: 'open' | 'done' | 'undone' | 'cancelled' | 'broken';
  readonly beginning: Beginning;
  readonly began_at: Date;
  readonly ended_at: Date | null;
  readonly ending: Ending | null;
  readonly fault: string | null;
  readonly is_waiting: boolean;
  readonly records: readonly (readonly [name: string, tried: Tried, beganMs: number, endedMs: number])[] | null;
  readonly letters: readonly (readonly [topic: string, letter: Letter, atMs: number])[] | null;
}

export async function openPostgresRuns(
  url: string,
  parts: { readonly clock: Clock; readonly log: SagaLog },
): Promise<SagaRuns> {
  const { clock } = parts;
  const pool = openPool(url, 1, parts.log);
  const journal = makeJournal({ pool, ...parts });
  const find = async (saga: string, id: string): Promise<Seen | undefined> => {
    const { rows } = await pool.query<Row>({ ...findSql, values: [runName(saga, id)] });
    return rows[0] && see(rows[0]);
  };
  const carry = async (kind: OrderKind, saga: string, id: string, { by, reason }: Order): Promise<Ordered> => {
    const seen = await find(saga, id);
    if (!seen) return undefined;
    if (kind === 'cancel' && (seen.letters.has(cancelTopic) || seen.run.state === 'cancelled')) return 'accepted';
    const refused = reasonsOf(seen, clock)[kind];
    if (refused !== undefined) return { refused };
    const topic = kind === 'cancel' ? cancelTopic : retryTopic(seen.standing?.place ?? 0);
    await journal.post(runName(saga, id), topic, { by, value: reason });
    return 'accepted';
  };
  return {
    async list({ saga, id, state, before, limit }) {
      const values = [saga ?? null, before ?? null, id ?? null, state ?? null, limit];
      const { rows } = await pool.query<Row>({ ...listSql, values });
      return Promise.all(rows.map(async (row) => (await see(row)).run));
    },
    async find(saga, id) {
      const seen = await find(saga, id);
      return seen && showDetail(seen, clock);
    },
    retry: (saga, id, order) => carry('retry', saga, id, order),
    cancel: (saga, id, order) => carry('cancel', saga, id, order),
    close: () => pool.end(),
  };
}

interface Seen {
  readonly row: Row;
  readonly run: ListedRun;
  readonly letters: ReadonlyMap<string, Letter>;
  /** Undefined once the engine has ended the run. */
  readonly standing: Standing | undefined;
}
async function see(row: Row): Promise<Seen> {
  const { plan, id, origin } = row.beginning;
  const letters = new Map((row.letters ?? []).map(([topic, letter]) => [topic, letter]));
  const standing = row.ending ? undefined : await standIn(row, letters);
  const state = stateOf(row, standing);
  const run = {
    ...state,
    id,
    saga: plan.saga,
    version: plan.version,
    correlationId: origin.correlationId,
    organizationId: origin.organizationId,
    beganAt: row.began_at,
    endedAt: row.ended_at ?? undefined,
  };
  return { row, run, letters, standing: row.state === 'open' ? standing : undefined };
}

async function standIn(row: Row, letters: ReadonlyMap<string, Letter>): Promise<Standing> {
  const records = (row.records ?? []).map(([name, tried, , atMs]): Recorded => ({ name, tried, atMs }));
  const standing = await standingOf(row.beginning.plan, records, letters);
  return row.is_waiting && standing.doing === 'working' ? { ...standing, doing: 'queued' } : standing;
}

function stateOf({ state, ending, fault }: Row, at: Standing | undefined): Omit<Run, 'id'> {
  if (ending) return { state: ending.state, step: ending.step, reason: ending.reason };
  if (state === 'open') {
    return { state: at?.doing === 'stuck' ? 'stuck' : 'running', step: at?.step, reason: at?.reason };
  }
  return { state: 'stuck', step: at?.step, reason: fault ?? undefined };
}

const reasonsOf = ({ run, standing, letters }: Seen, clock: Clock) =>
  whyNot({ state: run.state, standing, isCalledOff: letters.has(cancelTopic) }, clock.now());

function showDetail(seen: Seen, clock: Clock): RunInDetail {
  const { row, run, standing } = seen;
  const attempts = (row.records ?? []).flatMap(([name, tried, beganMs, endedMs]): RunAttempted[] => {
    const what = workOf({ name });
    if (!what) return [];
    const reason = 'reason' in tried ? tried.reason : undefined;
    return [{ ...what, end: tried.end, reason, beganAt: new Date(beganMs), endedAt: new Date(endedMs) }];
  });
  const orders = (row.letters ?? []).flatMap(([topic, letter, atMs]) => {
    if (!topic.startsWith('@') || !('value' in letter)) return [];
    const kind: OrderKind = topic === cancelTopic ? 'cancel' : 'retry';
    return [{ kind, by: letter.by, reason: String(letter.value), at: new Date(atMs) }];
  });
  return { ...run, plan: row.beginning.plan, attempts, standing, orders, whyNot: reasonsOf(seen, clock) };
}
