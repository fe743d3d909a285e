import type { Client } from 'pg';
import type { Clock } from '../../../kernel/clock.ts';
import type { SagaLog } from '../attempts.ts';

/**
 * Takes over the runs that an earlier version of the product kept in the tables of DBOS, and removes those tables. Open runs
 * go on where they were: their records, letters and tokens are the same. Everything happens in one transaction, so it is
 * done once and whole.
 *
 * A worker of the earlier version must not run meanwhile. It shows by its lease, which ends when the worker is stopped, or
 * some seconds after it was killed; this waits for that, and gives up after a while with a sentence that says so.
 */
export async function carryOver(
  client: Client,
  parts: { readonly clock: Clock; readonly log: SagaLog; readonly patienceMs?: number },
): Promise<void> {
  if (!(await exists(client, 'dbos.workflow_status'))) return;
  await waitForOldWorkers(client, parts.clock, parts.patienceMs ?? 60_000);
  await client.query('begin');
  try {
    const { rowCount } = await client.query(runsSql);
    await client.query(recordsSql);
    await client.query(lettersSql);
    await client.query('drop schema dbos cascade');
    await client.query('drop schema if exists saga_leases cascade');
    await client.query('commit');
    parts.log.info({ runs: rowCount }, 'took over the saga runs of the earlier engine');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}

const exists = async (client: Client, table: string): Promise<boolean> =>
  (await client.query<{ found: boolean }>('select to_regclass($1) is not null as found', [table])).rows[0]?.found ??
  false;

const lookAgainMs = 500;

async function waitForOldWorkers(client: Client, clock: Clock, patienceMs: number): Promise<void> {
  if (!(await exists(client, 'saga_leases.executor'))) return;
  const untilMs = clock.now().getTime() + patienceMs;
  for (;;) {
    const { rows } = await client.query<{ id: string }>(
      'select id from saga_leases.executor where until >= now() order by id',
    );
    if (rows.length === 0) return;
    if (clock.now().getTime() >= untilMs) {
      const names = rows.map(({ id }) => id).join(', ');
      throw new Error(
        `A worker of the earlier version still runs sagas: ${names}. Stop it, then start this one again.`,
      );
    }
    await clock.sleep(lookAgainMs);
  }
}

/** The arguments of a run were kept as a list of one; the brackets are cut off without reading what is between them. */
const runsSql = `
  insert into gpuaas_sagas.runs (name, lane, state, beginning, began_at, ended_at, ending, fault)
  select name, lane, state, beginning, began_at,
    case when state <> 'open' then coalesce(ended_at, began_at) end,
    case when state in ('done', 'undone', 'cancelled') then output::json end,
    case when state = 'broken' then 'the engine ended the run: ' || status || coalesce(' ' || error, '') end
  from (
    select s.workflow_uuid as name, s.queue_name as lane, s.status, o.output, o.error,
      substr(i.inputs, 2, length(i.inputs) - 2)::json as beginning,
      to_timestamp(s.created_at / 1000.0) as began_at, to_timestamp(s.completed_at / 1000.0) as ended_at,
      case
        when s.status in ('PENDING', 'ENQUEUED') and s.application_version = 'interpreter-2' then 'open'
        else coalesce(substring(o.output from '^{"state":"(done|undone|cancelled)"'), 'broken')
      end as state
    from dbos.workflow_status s
    join dbos.workflow_input i using (workflow_uuid) left join dbos.workflow_output o using (workflow_uuid)
    where s.name = 'saga' and s.queue_name is not null
  ) old
  on conflict (name) do nothing`;
const recordsSql = `
  insert into gpuaas_sagas.records (run, place, name, tried, began_ms, ended_ms)
  select p.workflow_uuid, p.function_id, p.function_name, p.output::json, p.started_at_epoch_ms, p.completed_at_epoch_ms
  from dbos.operation_outputs p join gpuaas_sagas.runs r on r.name = p.workflow_uuid
  on conflict (run, place) do nothing`;
const lettersSql = `
  insert into gpuaas_sagas.letters (run, topic, letter, posted_at)
  select n.destination_uuid, n.topic, n.message::json, to_timestamp(n.created_at_epoch_ms / 1000.0)
  from dbos.notifications n join gpuaas_sagas.runs r on r.name = n.destination_uuid
  on conflict (run, topic) do nothing`;
