import { type ReadTx, sql, type WriteTx } from '../../../kernel/act.ts';
import type { Erase } from '../../../ports/maas/port.ts';
import type { NewJob } from '../store.ts';

/** A job with the settings of its site. */
export interface JobOfSite {
  readonly id: string;
  readonly site_id: string;
  readonly system_id: string;
  readonly kind: NewJob['kind'];
  readonly state: string;
  readonly phase: string;
  readonly taken: boolean;
  readonly node_id: string | null;
  readonly node_name: string | null;
  readonly sku: string | null;
  readonly enrolment_id: string | null;
  readonly reason: string;
  readonly region: string;
  readonly url: string;
  readonly ca_pem: string | null;
  readonly pool: string | null;
  readonly osystem: string;
  readonly series: string;
  readonly erase: Erase;
  readonly sealed_key: Buffer;
  readonly username: string | null;
  readonly door_url: string;
  readonly door_fingerprint: string | null;
  readonly downloads: string;
}
const readSql = sql(
  'maas-job-at-work',
  `select j.id, j.site_id, j.system_id, j.kind, j.state, j.phase, j.taken, j.node_id, j.node_name, j.sku, j.enrolment_id, j.reason,
     s.region, s.url, s.ca_pem, s.pool, s.osystem, s.series, s.erase, s.sealed_key, s.username, s.door_url, s.door_fingerprint, s.downloads
   from maas_jobs j join maas_sites s on s.id = j.site_id where j.id = $1`,
);
const phaseSql = sql(
  'maas-job-phase',
  `update maas_jobs set phase = $2, wait_token = $3, version = version + 1, updated_at = act_time()
   where id = $1 and state = 'running'`,
);
const takenSql = sql(
  'maas-job-taken',
  `update maas_jobs set taken = true, version = version + 1, updated_at = act_time() where id = $1 and not taken`,
);
const enrolmentSql = sql(
  'maas-job-enrolment',
  'update maas_jobs set enrolment_id = $2, version = version + 1, updated_at = act_time() where id = $1',
);
const nodeSql = sql(
  'maas-job-node',
  'update maas_jobs set node_id = $2, version = version + 1, updated_at = act_time() where id = $1 and node_id is null',
);
const linkSql = sql('maas-machine-link', 'update maas_machines set node_id = $3 where site_id = $1 and system_id = $2');

export const readJobOfSite = async (tx: ReadTx, id: string): Promise<JobOfSite | undefined> =>
  (await tx.rows<JobOfSite>(readSql, [id]))[0];
export const markPhase = (tx: WriteTx, id: string, phase: string, token: string | undefined) =>
  tx.run(phaseSql, [id, phase, token ?? null]);
export const markTaken = (tx: WriteTx, id: string) => tx.run(takenSql, [id]);
export const setEnrolment = (tx: WriteTx, id: string, enrolmentId: string) => tx.run(enrolmentSql, [id, enrolmentId]);
export const setNode = (tx: WriteTx, id: string, nodeId: string) => tx.run(nodeSql, [id, nodeId]);
/** Links the machine with its node; null removes the link. */
export const linkMachine = (tx: WriteTx, job: Pick<JobOfSite, 'site_id' | 'system_id'>, nodeId: string | null) =>
  tx.run(linkSql, [job.site_id, job.system_id, nodeId]);
