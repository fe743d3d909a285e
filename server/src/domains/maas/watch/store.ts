import { type ReadTx, sql, type WriteTx } from '../../../kernel/act.ts';
import type { MaasMachine } from '../../../ports/maas/port.ts';
import type { NewJob } from '../store.ts';

export interface WatchedSite {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly ca_pem: string | null;
  readonly pool: string | null;
  readonly sealed_key: Buffer;
  readonly release: string | null;
  readonly username: string | null;
  readonly seen_at: Date | null;
  readonly problem: string | null;
}
export interface StoredMachine {
  readonly system_id: string;
  readonly hostname: string;
  readonly status: string;
  readonly detail: string;
  readonly power: string;
  readonly owner: string | null;
  readonly node_note: string | null;
  readonly architecture: string;
  readonly cpus: number;
  readonly memory_mib: number;
  readonly tags: string[];
  readonly missing_since: Date | null;
}
/** A job that waits for its machine. `is_enrolled`: its token was used, and the node has reported since. */
export interface WaitingJob {
  readonly id: string;
  readonly system_id: string;
  readonly phase: string;
  readonly wait_token: string | null;
  readonly is_enrolled: boolean;
}

const sitesSql = sql(
  'maas-watch-sites',
  `select id, name, url, ca_pem, pool, sealed_key, release, username, seen_at, problem from maas_sites order by id`,
);
const machinesSql = sql(
  'maas-watch-machines',
  `select system_id, hostname, status, detail, power, owner, node_note, architecture, cpus, memory_mib, tags, missing_since
   from maas_machines where site_id = $1`,
);
const waitingSql = sql(
  'maas-watch-waiting',
  `select j.id, j.system_id, j.phase, j.wait_token,
     exists (select from node_enrolments e join node_reports r on r.node_id = e.node_id
       where e.id = j.enrolment_id and e.used_at is not null and r.reported_at > e.used_at) as is_enrolled
   from maas_jobs j where j.site_id = $1 and j.state = 'running' and j.wait_token is not null order by j.id limit $2`,
);
const upsertSql = sql(
  'maas-watch-keep',
  `insert into maas_machines as m (site_id, system_id, hostname, status, detail, power, owner, node_note, architecture, cpus,
     memory_mib, tags)
   select $1, s.system_id, s.hostname, s.status, s.detail, s.power, s.owner, s.node_note, s.architecture, s.cpus, s.memory_mib,
     coalesce(array(select jsonb_array_elements_text(s.tags)), '{}')
   from jsonb_to_recordset($2::jsonb) as s (system_id text, hostname text, status text, detail text, power text, owner text,
     node_note text, architecture text, cpus integer, memory_mib integer, tags jsonb)
   on conflict (site_id, system_id) do update set hostname = excluded.hostname, status = excluded.status, detail = excluded.detail,
     power = excluded.power, owner = excluded.owner, node_note = excluded.node_note, architecture = excluded.architecture,
     cpus = excluded.cpus, memory_mib = excluded.memory_mib, tags = excluded.tags, missing_since = null, changed_at = act_time()`,
);
const missingSql = sql(
  'maas-watch-miss',
  `update maas_machines set missing_since = act_time(), changed_at = act_time()
   where site_id = $1 and system_id = any ($2::text[]) and missing_since is null`,
);
const reachableSql = sql(
  'maas-watch-well',
  `update maas_sites set release = $2, username = $3, seen_at = act_time(), problem = null, problem_since = null where id = $1`,
);
const problemSql = sql(
  'maas-watch-ill',
  `update maas_sites set problem = $2, problem_since = coalesce(problem_since, act_time()) where id = $1`,
);
/** Queued jobs that may begin: as many of each site as it lets be worked on at once. */
const dueSql = sql(
  'maas-jobs-due',
  `select id from (
     select j.id, j.created_at, s.max_parallel,
       row_number() over (partition by j.site_id order by j.created_at, j.id) as place,
       (select count(*) from maas_jobs r where r.site_id = j.site_id and r.state = 'running') as running
     from maas_jobs j join maas_sites s on s.id = j.site_id where j.state = 'queued'
   ) q where place + running <= max_parallel order by created_at, id limit $1`,
);
const runningSql = sql(
  'maas-jobs-running',
  `select id, kind from maas_jobs where state = 'running' order by created_at limit $1`,
);
const endedSql = sql(
  'maas-jobs-unanswered',
  `select id, state, problem, answer_token from maas_jobs
   where answer_token is not null and state in ('succeeded', 'failed') order by id limit $1`,
);
const answeredSql = sql(
  'maas-jobs-answered',
  `update maas_jobs set answer_token = null, version = version + 1 where id = any ($1::uuid[])`,
);

export const listWatched = (tx: ReadTx) => tx.rows<WatchedSite>(sitesSql);
export const listStored = (tx: ReadTx, siteId: string) => tx.rows<StoredMachine>(machinesSql, [siteId]);
export const listWaiting = (tx: ReadTx, siteId: string, limit: number) =>
  tx.rows<WaitingJob>(waitingSql, [siteId, limit]);
export const upsertMachines = (tx: WriteTx, siteId: string, machines: readonly object[]) =>
  tx.run(upsertSql, [siteId, JSON.stringify(machines)]);
export const markMissing = (tx: WriteTx, siteId: string, systemIds: readonly string[]) =>
  tx.run(missingSql, [siteId, systemIds]);
export const markReachable = (
  tx: WriteTx,
  siteId: string,
  { release, username }: { release: string; username: string },
) => tx.run(reachableSql, [siteId, release, username]);
export const recordProblem = (tx: WriteTx, siteId: string, problem: string) => tx.run(problemSql, [siteId, problem]);
export const listDue = async (tx: ReadTx, limit: number): Promise<string[]> =>
  (await tx.rows<{ id: string }>(dueSql, [limit])).map(({ id }) => id);
export const listRunning = (tx: ReadTx, limit: number) =>
  tx.rows<{ id: string; kind: NewJob['kind'] }>(runningSql, [limit]);
export const listUnanswered = (tx: ReadTx, limit: number) =>
  tx.rows<{ id: string; state: string; problem: string | null; answer_token: string | null }>(endedSql, [limit]);
export const markAnswered = (tx: WriteTx, ids: readonly string[]) => tx.run(answeredSql, [ids]);

/** A machine as it is kept. */
export const rowOf = (machine: MaasMachine, note: string): Omit<StoredMachine, 'missing_since'> => ({
  system_id: machine.systemId,
  hostname: machine.hostname,
  status: machine.status,
  detail: machine.detail,
  power: machine.power,
  owner: machine.owner ?? null,
  node_note: machine.notes[note] ?? null,
  architecture: machine.architecture,
  cpus: machine.cpus,
  memory_mib: machine.memoryMib,
  tags: [...machine.tags],
});
