import type { Clock } from '../../../kernel/clock.ts';
import { type Beginning, runName, type SagaLog } from '../attempts.ts';
import type { Ending, Tried } from '../interpreter.ts';
import { cancelTopic, retryTopic, whyNot } from '../orders.ts';
import type { ListedRun, Order, Ordered, OrderKind, Run, RunAttempted, RunInDetail, SagaRuns } from '../port.ts';
import { type Letter, type Recorded, type Standing, standingOf, workOf } from '../standing.ts';
import { openPool } from './pool.ts';
import { makeRecords, plainJson } from './records.ts';

const columns = `s.status, s.created_at::float8 as began_ms, s.completed_at::float8 as ended_ms, i.inputs, o.output, o.error, (
    select json_agg(json_build_array(p.function_name, p.output, p.started_at_epoch_ms, p.completed_at_epoch_ms)
      order by p.function_id)
    from dbos.operation_outputs p where p.workflow_uuid = s.workflow_uuid
  ) as records, (
    select json_agg(json_build_array(n.topic, n.message, n.created_at_epoch_ms)) from dbos.notifications n
    where n.destination_uuid = s.workflow_uuid
  ) as letters
  from dbos.workflow_status s
  join dbos.workflow_input i using (workflow_uuid) left join dbos.workflow_output o using (workflow_uuid)`;
const open = `s.status in ('PENDING', 'ENQUEUED')`;
const isStuck = `'stuck' = (
    select p.function_name from dbos.operation_outputs p
    where p.workflow_uuid = s.workflow_uuid order by p.function_id desc limit 1
  )`;
const listSql = {
  name: 'saga-runs',
  text: `select ${columns}
    where ($1::text is null or starts_with(s.workflow_uuid, $1 || '/')) and ($2::float8 is null or s.created_at < $2)
      and ($3::text is null or starts_with(split_part(s.workflow_uuid, '/', 2), $3))
      and ($4::text is null or $4 = case when ${open} then case when ${isStuck} then 'stuck' else 'running' end
        else coalesce(o.output::jsonb ->> 'state', 'stuck') end)
    order by s.created_at desc, s.workflow_uuid limit $5`,
};
const findSql = { name: 'saga-run-detail', text: `select ${columns} where s.workflow_uuid = $1` };

interface Row {
  readonly status: string;
  readonly began_ms: number;
  readonly ended_ms: number | null;
  readonly inputs: string;
  readonly output: string | null;
  readonly error: string | null;
  readonly records: readonly (readonly [name: string, tried: string, beganMs: number, endedMs: number])[] | null;
  readonly letters: readonly (readonly [topic: string, message: string, atMs: number])[] | null;
}

export async function openDbosRuns(
  url: string,
  parts: { readonly clock: Clock; readonly log: SagaLog },
): Promise<SagaRuns> {
  const { clock } = parts;
  const pool = openPool(url, 1, parts.log);
  const records = makeRecords({ pool, ...parts });
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
    await records.post(runName(saga, id), topic, { by, value: reason });
    return 'accepted';
  };
  return {
    async list({ saga, id, state, before, limit }) {
      const values = [saga ?? null, before?.getTime() ?? null, id ?? null, state ?? null, limit];
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
  readonly beginning: Beginning;
  readonly run: ListedRun;
  readonly letters: ReadonlyMap<string, Letter>;
  readonly standing: Standing | undefined;
}
async function see(row: Row): Promise<Seen> {
  const [beginning] = plainJson.parse(row.inputs) as [Beginning];
  const { plan, id, origin } = beginning;
  const letters = new Map((row.letters ?? []).map(([topic, message]) => [topic, plainJson.parse(message) as Letter]));
  const standing = row.output === null ? await standIn(row, beginning, letters) : undefined;
  const state = stateOf(row, standing);
  const run = {
    ...state,
    id,
    saga: plan.saga,
    version: plan.version,
    correlationId: origin.correlationId,
    organizationId: origin.organizationId,
    beganAt: new Date(row.began_ms),
    endedAt: row.ended_ms === null || state.state === 'running' ? undefined : new Date(row.ended_ms),
  };
  return { row, beginning, run, letters, standing: isOpen(row) ? standing : undefined };
}
const isOpen = ({ status }: Row): boolean => status === 'PENDING' || status === 'ENQUEUED';

async function standIn(row: Row, { plan }: Beginning, letters: ReadonlyMap<string, Letter>): Promise<Standing> {
  const records = (row.records ?? []).map(
    ([name, tried, , atMs]): Recorded => ({ name, tried: plainJson.parse(tried) as Tried, atMs }),
  );
  const standing = await standingOf(plan, records, letters);
  return row.status === 'ENQUEUED' && standing.doing === 'working' ? { ...standing, doing: 'queued' } : standing;
}

function stateOf(row: Row, at: Standing | undefined): Omit<Run, 'id'> {
  if (row.output !== null) {
    const { state, step, reason } = plainJson.parse(row.output) as Ending;
    return { state, step, reason };
  }
  if (isOpen(row)) return { state: at?.doing === 'stuck' ? 'stuck' : 'running', step: at?.step, reason: at?.reason };
  return {
    state: 'stuck',
    step: at?.step,
    reason: `the engine ended the run: ${row.status} ${row.error ?? ''}`.trim(),
  };
}

const reasonsOf = ({ run, standing, letters }: Seen, clock: Clock) =>
  whyNot({ state: run.state, standing, isCalledOff: letters.has(cancelTopic) }, clock.now());

function showDetail(seen: Seen, clock: Clock): RunInDetail {
  const { row, run, beginning, standing } = seen;
  const attempts = (row.records ?? []).flatMap(([name, tried, beganMs, endedMs]): RunAttempted[] => {
    const what = workOf({ name });
    if (!what) return [];
    const { end, ...rest } = plainJson.parse(tried) as Tried;
    const reason = 'reason' in rest ? rest.reason : undefined;
    return [{ ...what, end, reason, beganAt: new Date(beganMs), endedAt: new Date(endedMs) }];
  });
  const orders = (row.letters ?? [])
    .filter(([topic]) => topic.startsWith('@'))
    .sort((one, other) => one[2] - other[2])
    .map(([topic, message, atMs]) => {
      const letter = plainJson.parse(message) as { readonly by: string; readonly value: string };
      const kind: OrderKind = topic === cancelTopic ? 'cancel' : 'retry';
      return { kind, by: letter.by, reason: letter.value, at: new Date(atMs) };
    });
  return { ...run, plan: beginning.plan, attempts, standing, orders, whyNot: reasonsOf(seen, clock) };
}
