import type { MaasJob } from '@gpuaas/contract';
import { type ReadTx, sql, type WriteTx } from '../../kernel/act.ts';

export interface JobRow extends Omit<MaasJob, 'created_at' | 'updated_at' | 'ended_at'> {
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly ended_at: Date | null;
}
const columns = `j.id, j.site_id, j.system_id, m.hostname, j.kind, j.state, j.phase, j.node_id, j.node_name, j.reason, j.problem,
     j.created_at, j.updated_at, j.ended_at`;
const joined = 'maas_jobs j join maas_machines m on m.site_id = j.site_id and m.system_id = j.system_id';
const getSql = sql('maas-job-get', `select ${columns} from ${joined} where j.id = $1`);
const listSql = sql(
  'maas-job-list',
  `select ${columns} from ${joined}
   where ($1::uuid is null or j.id < $1) and ($3::uuid is null or j.site_id = $3) and ($4::text is null or j.state = $4)
   order by j.id desc limit $2`,
);
const insertSql = sql(
  'maas-job-insert',
  `insert into maas_jobs (id, site_id, system_id, kind, node_id, node_name, sku, reason, answer_token, created_by)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict do nothing`,
);
const openSql = sql(
  'maas-job-open',
  `select ${columns} from ${joined} where j.site_id = $1 and j.system_id = any ($2::text[]) and j.state in ('queued', 'running')`,
);

export interface MachineRow {
  readonly site_id: string;
  readonly system_id: string;
  readonly hostname: string;
  readonly status: string;
  readonly detail: string;
  readonly power: 'on' | 'off' | 'error' | 'unknown';
  readonly owner: string | null;
  readonly node_note: string | null;
  readonly architecture: string;
  readonly cpus: number;
  readonly memory_mib: number;
  readonly tags: string[];
  readonly changed_at: Date;
  readonly missing_since: Date | null;
  readonly node_id: string | null;
  readonly node_name: string | null;
  readonly node_state: string | null;
  readonly username: string | null;
  readonly allocations: { readonly id: string; readonly state: string }[];
  readonly is_worked_on: boolean;
}
const machineColumns = `m.*, n.name as node_name, n.state as node_state, s.username,
     (select coalesce(jsonb_agg(jsonb_build_object('id', a.id, 'state', a.state) order by a.id), '[]') from allocations a
      where a.node_id = m.node_id and a.state not in ('released', 'failed') and mine(a.organization_id)) as allocations,
     exists (select from maas_jobs j where j.site_id = m.site_id and j.system_id = m.system_id
       and j.state in ('queued', 'running')) as is_worked_on`;
const machinesSql = sql(
  'maas-machine-list',
  `select ${machineColumns} from maas_machines m join maas_sites s on s.id = m.site_id left join nodes n on n.id = m.node_id
   where m.site_id = $1 and ($2::text is null or m.system_id > $2) order by m.system_id limit $3`,
);
const machinesByIdSql = sql(
  'maas-machine-some',
  `select ${machineColumns} from maas_machines m join maas_sites s on s.id = m.site_id left join nodes n on n.id = m.node_id
   where m.site_id = $1 and m.system_id = any ($2::text[])`,
);
const ofNodeSql = sql('maas-machine-of-node', 'select site_id, system_id from maas_machines where node_id = $1');
const byTokenSql = sql('maas-job-of-token', 'select id from maas_jobs where answer_token = $1');
const namesSql = sql(
  'maas-node-names-taken',
  `select n.name from nodes n where n.name = any ($1::text[])
   union select j.node_name from maas_jobs j where j.node_name = any ($1::text[]) and j.state in ('queued', 'running')`,
);

export const findJob = async (tx: ReadTx, id: string): Promise<JobRow | undefined> =>
  (await tx.rows<JobRow>(getSql, [id]))[0];
export const listJobs = (
  tx: ReadTx,
  of: { before: string | undefined; limit: number; siteId: string | undefined; state: string | undefined },
) => tx.rows<JobRow>(listSql, [of.before ?? null, of.limit, of.siteId ?? null, of.state ?? null]);
export const openJobs = (tx: ReadTx, siteId: string, systemIds: readonly string[]) =>
  tx.rows<JobRow>(openSql, [siteId, systemIds]);
export interface NewJob {
  readonly id: string;
  readonly siteId: string;
  readonly systemId: string;
  readonly kind: MaasJob['kind'];
  readonly nodeId?: string | undefined;
  readonly nodeName?: string | undefined;
  readonly sku?: string | undefined;
  readonly reason: string;
  readonly answerToken?: string | undefined;
  readonly createdBy: string;
}
/** False when another job of the machine is open: a unique index allows one. */
export const insertJob = async (tx: WriteTx, job: NewJob): Promise<boolean> =>
  (await tx.run(insertSql, [
    ...[job.id, job.siteId, job.systemId, job.kind, job.nodeId ?? null, job.nodeName ?? null, job.sku ?? null],
    ...[job.reason, job.answerToken ?? null, job.createdBy],
  ])) > 0;

export const listMachines = (tx: ReadTx, siteId: string, after: string | undefined, limit: number) =>
  tx.rows<MachineRow>(machinesSql, [siteId, after ?? null, limit]);
export const findMachines = (tx: ReadTx, siteId: string, systemIds: readonly string[]) =>
  tx.rows<MachineRow>(machinesByIdSql, [siteId, systemIds]);
export const machineOfNode = async (tx: ReadTx, nodeId: string) =>
  (await tx.rows<{ site_id: string; system_id: string }>(ofNodeSql, [nodeId]))[0];
/** Names that a node or an open job has already. */
export const namesTaken = async (tx: ReadTx, names: readonly string[]): Promise<string[]> =>
  (await tx.rows<{ name: string }>(namesSql, [names])).map(({ name }) => name);
/** The job that answers this token. */
export const findJobByToken = async (tx: ReadTx, token: string): Promise<string | undefined> =>
  (await tx.rows<{ id: string }>(byTokenSql, [token]))[0]?.id;
