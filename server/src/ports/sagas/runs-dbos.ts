import type { Clock } from '../../kernel/clock.ts';
import { type Beginning, runName, type SagaLog } from './attempts.ts';
import { placeOf } from './dbos-place.ts';
import { openPool } from './dbos-pool.ts';
import { type Letter, plainJson, type Recorded } from './dbos-records.ts';
import type { Ending, Tried, Work } from './interpreter.ts';
import type { ListedRun, Run, RunAttempted, RunInDetail, SagaRuns } from './port.ts';

const columns = `s.status, s.created_at::float8 as began_ms, s.completed_at::float8 as ended_ms, i.inputs, o.output, o.error, (
    select json_agg(json_build_array(p.function_name, p.output, p.started_at_epoch_ms, p.completed_at_epoch_ms)
      order by p.function_id)
    from dbos.operation_outputs p where p.workflow_uuid = s.workflow_uuid
  ) as records, (
    select json_agg(json_build_array(n.topic, n.message)) from dbos.notifications n
    where n.destination_uuid = s.workflow_uuid
  ) as letters
  from dbos.workflow_status s
  join dbos.workflow_input i using (workflow_uuid) left join dbos.workflow_output o using (workflow_uuid)`;
const open = `s.status in ('PENDING', 'ENQUEUED')`;
const listSql = {
  name: 'saga-runs',
  text: `select ${columns}
    where ($1::text is null or starts_with(s.workflow_uuid, $1 || '/')) and ($2::float8 is null or s.created_at < $2)
      and ($3::text is null or starts_with(split_part(s.workflow_uuid, '/', 2), $3))
      and ($4::text is null or $4 = case when ${open} then 'running'
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
  readonly letters: readonly (readonly [step: string, message: string])[] | null;
}

export async function openDbosRuns(
  url: string,
  parts: { readonly clock: Clock; readonly log: SagaLog },
): Promise<SagaRuns> {
  const pool = openPool(url, 1, parts.log);
  return {
    async list({ saga, id, state, before, limit }) {
      const values = [saga ?? null, before?.getTime() ?? null, id ?? null, state ?? null, limit];
      const { rows } = await pool.query<Row>({ ...listSql, values });
      return Promise.all(rows.map(showRun));
    },
    async find(saga, id) {
      const { rows } = await pool.query<Row>({ ...findSql, values: [runName(saga, id)] });
      return rows[0] && showDetail(rows[0]);
    },
    close: () => pool.end(),
  };
}

const readInput = (row: Row): Beginning => (plainJson.parse(row.inputs) as [Beginning])[0];

async function showRun(row: Row): Promise<ListedRun> {
  const { plan, id, origin } = readInput(row);
  const run = await lookAt(row);
  return {
    ...run,
    id,
    saga: plan.saga,
    version: plan.version,
    correlationId: origin.correlationId,
    organizationId: origin.organizationId,
    beganAt: new Date(row.began_ms),
    endedAt: row.ended_ms === null || run.state === 'running' ? undefined : new Date(row.ended_ms),
  };
}

async function showDetail(row: Row): Promise<RunInDetail> {
  const attempts = (row.records ?? []).map(([name, tried, beganMs, endedMs]): RunAttempted => {
    const [work = 'do', ...step] = name.split(' ');
    const { end, ...rest } = plainJson.parse(tried) as Tried;
    return {
      step: step.join(' '),
      work: work as Work,
      end,
      reason: 'reason' in rest ? rest.reason : undefined,
      beganAt: new Date(beganMs),
      endedAt: new Date(endedMs),
    };
  });
  return { ...(await showRun(row)), plan: readInput(row).plan, attempts };
}

async function lookAt(row: Row): Promise<Omit<Run, 'id'>> {
  if (row.output !== null) {
    const { state, step, reason } = plainJson.parse(row.output) as Ending;
    return { state, step, reason };
  }
  const records = (row.records ?? []).map(
    ([name, tried, , atMs]): Recorded => ({ name, tried: plainJson.parse(tried) as Tried, atMs }),
  );
  const letters = new Map((row.letters ?? []).map(([step, message]) => [step, plainJson.parse(message) as Letter]));
  const step = await placeOf(readInput(row).plan, records, letters);
  if (row.status === 'PENDING' || row.status === 'ENQUEUED') return { state: 'running', step, reason: undefined };
  return { state: 'stuck', step, reason: `the engine ended the run: ${row.status} ${row.error ?? ''}`.trim() };
}
