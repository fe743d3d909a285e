import type { MaasSite } from '@gpuaas/contract';
import { type ReadTx, sql, type WriteTx } from '../../kernel/act.ts';

export interface SiteRow
  extends Omit<MaasSite, 'seen_at' | 'failing_since' | 'created_at' | 'updated_at' | 'revision'> {
  readonly seen_at: Date | null;
  readonly failing_since: Date | null;
  readonly revision: bigint;
  readonly created_at: Date;
  readonly updated_at: Date;
}
const columns = `s.id, s.name, s.region, s.url, s.ca_pem, s.pool, s.osystem, s.series, s.erase, s.max_parallel, s.release, s.username,
     s.seen_at, s.problem, s.problem_since as failing_since, s.revision, s.created_at, s.updated_at,
     (select count(*)::int from maas_machines m where m.site_id = s.id and m.missing_since is null) as machines,
     (select count(*)::int from maas_machines m where m.site_id = s.id and m.node_id is not null) as nodes`;
const getSql = sql('maas-site-get', `select ${columns} from maas_sites s where s.id = $1`);
const listSql = sql(
  'maas-site-list',
  `select ${columns} from maas_sites s where ($1::uuid is null or s.id > $1) order by s.id limit $2`,
);
const lockSql = sql('maas-site-lock', 'select id from maas_sites where id = $1 for update');
const insertSql = sql(
  'maas-site-insert',
  `insert into maas_sites (id, name, region, url, ca_pem, pool, osystem, series, erase, max_parallel, sealed_key,
     door_url, door_fingerprint, downloads)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) on conflict do nothing`,
);
const updateSql = sql(
  'maas-site-update',
  `update maas_sites set url = $2, ca_pem = $3, pool = $4, osystem = $5, series = $6, erase = $7, max_parallel = $8,
     sealed_key = coalesce($9, sealed_key), door_url = $10, door_fingerprint = $11, downloads = $12,
     revision = revision + 1, updated_at = act_time()
   where id = $1`,
);
const doorSql = sql(
  'maas-site-door',
  `update maas_sites set door_url = $2, door_fingerprint = $3, downloads = $4 where id = $1
     and (door_url, door_fingerprint, downloads) is distinct from ($2::text, $3::text, $4::text)`,
);
const usedSql = sql(
  'maas-site-used',
  `select (select count(*)::int from maas_machines m where m.site_id = $1 and m.node_id is not null) as nodes,
     (select count(*)::int from maas_jobs j where j.site_id = $1 and j.state in ('queued', 'running')) as jobs`,
);
const deleteSql = sql('maas-site-delete', 'delete from maas_sites where id = $1');

export const findSite = async (tx: ReadTx, id: string): Promise<SiteRow | undefined> =>
  (await tx.rows<SiteRow>(getSql, [id]))[0];
export async function lockSite(tx: WriteTx, id: string): Promise<SiteRow | undefined> {
  await tx.rows(lockSql, [id]);
  return findSite(tx, id);
}
export const listSites = (tx: ReadTx, after: string | undefined, limit: number) =>
  tx.rows<SiteRow>(listSql, [after ?? null, limit]);

/** Where hosts enrol and fetch packages. The cloud-init document of a deployment names these addresses. */
export interface NodeListenerAddress {
  readonly url: string;
  readonly fingerprint: string | undefined;
  readonly downloads: string;
}
const doorValues = ({ url, fingerprint, downloads }: NodeListenerAddress) => [url, fingerprint ?? null, downloads];
type Settings = Pick<SiteRow, 'url' | 'ca_pem' | 'pool' | 'osystem' | 'series' | 'erase' | 'max_parallel'>;
const settingValues = (site: Settings) => [
  ...[site.url, site.ca_pem, site.pool, site.osystem, site.series, site.erase, site.max_parallel],
];
export const insertSite = async (
  tx: WriteTx,
  site: Settings & Pick<SiteRow, 'id' | 'name' | 'region'>,
  sealed: Buffer,
  door: NodeListenerAddress,
): Promise<boolean> =>
  (await tx.run(insertSql, [site.id, site.name, site.region, ...settingValues(site), sealed, ...doorValues(door)])) > 0;
export const updateSite = (
  tx: WriteTx,
  site: Settings & Pick<SiteRow, 'id'>,
  sealed: Buffer | undefined,
  door: NodeListenerAddress,
) => tx.run(updateSql, [site.id, ...settingValues(site), sealed ?? null, ...doorValues(door)]);
export const updateListener = (tx: WriteTx, id: string, door: NodeListenerAddress) =>
  tx.run(doorSql, [id, ...doorValues(door)]);
/** What keeps a site from being removed. */
export const countUses = async (tx: ReadTx, id: string): Promise<{ readonly nodes: number; readonly jobs: number }> =>
  (await tx.rows<{ nodes: number; jobs: number }>(usedSql, [id]))[0] ?? { nodes: 0, jobs: 0 };
export const deleteSite = (tx: WriteTx, id: string) => tx.run(deleteSql, [id]);
