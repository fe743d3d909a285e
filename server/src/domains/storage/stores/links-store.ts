import type { NamespaceKind } from '@gpuaas/contract';
import { type ReadTx, sql, type WriteTx } from '../../../kernel/act.ts';

export interface LinkRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly object_id: string;
  readonly namespace_id: string;
  readonly kind: NamespaceKind;
  readonly namespace_name: string;
  readonly folder: string;
  readonly name: string;
  readonly size_bytes: bigint;
  readonly content_type: string;
  readonly blob_id: string | null;
  readonly deleted_at: Date | null;
  readonly created_by: string;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly revoked_at: Date | null;
  readonly opened: bigint;
  readonly last_opened_at: Date | null;
}
const columns = `l.id, l.organization_id, l.project_id, l.object_id, o.namespace_id, n.kind, n.name as namespace_name, o.folder, o.name,
     o.size_bytes, o.content_type, o.blob_id, o.deleted_at, l.created_by, l.created_at, l.expires_at, l.revoked_at, l.opened, l.last_opened_at`;
const joined = `storage_links l
     join storage_objects o on o.id = l.object_id and mine(o.organization_id)
     join storage_namespaces n on n.id = o.namespace_id and mine(n.organization_id)`;

const insert = sql(
  'storage-link-insert',
  `insert into storage_links (id, organization_id, project_id, object_id, secret_hash, created_by, expires_at)
   values ($1, $2, $3, $4, decode($5, 'hex'), $6, $7)`,
);
const find = sql('storage-link-find', `select ${columns} from ${joined} where l.id = $1 and mine(l.organization_id)`);
/** By its secret: who holds it is unknown, so the statement finds only what may be opened. */
const findBySecret = sql(
  'storage-link-open',
  `select ${columns} from ${joined}
   where l.secret_hash = decode($1, 'hex') and l.revoked_at is null and l.expires_at > act_time() and o.deleted_at is null
     and mine(l.organization_id)`,
);
const list = sql(
  'storage-link-list',
  `select ${columns} from ${joined}
   where l.organization_id = $1 and l.project_id = $2 and l.revoked_at is null and l.expires_at > act_time()
     and mine(l.organization_id)
     and ($3::text is null or n.kind <> 'users' or n.name = $3)
     and ($4::uuid is null or l.id < $4)
   order by l.id desc limit $5`,
);
const count = sql(
  'storage-link-count',
  `select count(*)::int as links from storage_links l
   where l.organization_id = $1 and l.project_id = $2 and l.revoked_at is null and l.expires_at > act_time()
     and mine(l.organization_id)`,
);
const revoke = sql(
  'storage-link-revoke',
  'update storage_links l set revoked_at = act_time() where l.id = $1 and l.revoked_at is null and mine(l.organization_id)',
);
const noteOpened = sql(
  'storage-link-opened',
  'update storage_links l set opened = l.opened + 1, last_opened_at = act_time() where l.id = $1 and mine(l.organization_id)',
);

export const insertLink = (
  tx: WriteTx,
  one: Pick<LinkRow, 'id' | 'organization_id' | 'project_id' | 'object_id' | 'created_by' | 'expires_at'> & {
    readonly digest: string;
  },
) =>
  tx.run(insert, [
    ...[one.id, one.organization_id, one.project_id, one.object_id, one.digest, one.created_by, one.expires_at],
  ]);
export const findLink = async (tx: ReadTx, id: string) => (await tx.rows<LinkRow>(find, [id]))[0];
export const findLinkBySecret = async (tx: ReadTx, digest: string) =>
  (await tx.rows<LinkRow>(findBySecret, [digest]))[0];
export const listLinks = (
  tx: ReadTx,
  of: { readonly organizationId: string; readonly projectId: string; readonly onlyUser: string | undefined },
  before: string | undefined,
  limit: number,
) => tx.rows<LinkRow>(list, [of.organizationId, of.projectId, of.onlyUser ?? null, before ?? null, limit]);
export const countLinks = async (
  tx: ReadTx,
  of: { readonly organizationId: string; readonly projectId: string },
): Promise<number> => (await tx.rows<{ links: number }>(count, [of.organizationId, of.projectId]))[0]?.links ?? 0;
export const revokeLink = (tx: WriteTx, id: string) => tx.run(revoke, [id]);
export const noteLinkOpened = (tx: WriteTx, id: string) => tx.run(noteOpened, [id]);
