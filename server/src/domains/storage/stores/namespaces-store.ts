import type { NamespaceKind } from '@gpuaas/contract';
import { type ReadTx, sql, type WriteTx } from '../../../kernel/act.ts';

export interface NamespaceRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly kind: NamespaceKind;
  readonly name: string;
  readonly stored_bytes: bigint;
  readonly created_at: Date;
}
export interface BucketRow {
  readonly stored_bytes: bigint;
  readonly reserved_bytes: bigint;
}

const openBucket = sql(
  'storage-bucket-open',
  `insert into storage_buckets (project_id, organization_id)
   select p.id, p.organization_id from projects p where p.id = $1 and mine(p.organization_id)
   on conflict (project_id) do nothing`,
);
const holdBucketRow = sql(
  'storage-bucket-hold',
  `select b.stored_bytes, b.reserved_bytes from storage_buckets b
   where b.project_id = $1 and mine(b.organization_id) for update`,
);
const bucket = sql(
  'storage-bucket',
  `select coalesce(b.stored_bytes, 0) as stored_bytes, coalesce(b.reserved_bytes, 0) as reserved_bytes
   from projects p left join storage_buckets b on b.project_id = p.id and mine(b.organization_id)
   where p.id = $1 and mine(p.organization_id)`,
);
const resize = sql(
  'storage-bucket-resize',
  `update storage_buckets b set stored_bytes = b.stored_bytes + $2, reserved_bytes = b.reserved_bytes + $3
   where b.project_id = $1 and mine(b.organization_id)`,
);
/** Grants of a project that was removed open nothing any more. */
const ofProject = `join projects p on p.id = n.project_id and p.organization_id = n.organization_id and p.state <> 'deleted'
     and mine(p.organization_id)`;
/** A removal waits for what is being added, and finds it. */
const takesMore = sql(
  'storage-project-takes-more',
  `select p.id from projects p
   where p.id = $1 and p.state not in ('removing', 'deleted') and mine(p.organization_id) for share`,
);
const resizeOne = sql(
  'storage-namespace-resize',
  'update storage_namespaces n set stored_bytes = greatest(n.stored_bytes + $2, 0) where n.id = $1 and mine(n.organization_id)',
);
const findByPath = sql(
  'storage-namespace-find',
  `select n.id, n.organization_id, n.project_id, n.kind, n.name, n.stored_bytes, n.created_at from storage_namespaces n ${ofProject}
   where n.project_id = $1 and n.kind = $2 and n.name = $3 and mine(n.organization_id)`,
);
const findById = sql(
  'storage-namespace-get',
  `select n.id, n.organization_id, n.project_id, n.kind, n.name, n.stored_bytes, n.created_at from storage_namespaces n ${ofProject}
   where n.id = $1 and mine(n.organization_id)`,
);
const insert = sql(
  'storage-namespace-insert',
  `insert into storage_namespaces (id, organization_id, project_id, kind, name)
   select $1, b.organization_id, b.project_id, $3, $4 from storage_buckets b
   where b.project_id = $2 and mine(b.organization_id)
   on conflict (project_id, kind, name) do nothing`,
);
const count = sql(
  'storage-namespace-count',
  `select count(*)::int as namespaces from storage_namespaces n where n.project_id = $1 and mine(n.organization_id)`,
);
const list = sql(
  'storage-namespace-list',
  `select n.id, n.organization_id, n.project_id, n.kind, n.name, n.stored_bytes, n.created_at from storage_namespaces n
   where n.organization_id = $1 and n.project_id = $2 and mine(n.organization_id)
     and ($3::text is null or n.kind <> 'users' or n.name = $3)
     and ($4::uuid is null or n.id > $4)
   order by n.id limit $5`,
);

/**
 * Opens the bucket of a project if it has none, and keeps every other change of its sizes waiting. Undefined where the
 * organization has no such project.
 */
export async function holdBucket(tx: WriteTx, projectId: string): Promise<BucketRow | undefined> {
  await tx.run(openBucket, [projectId]);
  return (await tx.rows<BucketRow>(holdBucketRow, [projectId]))[0];
}
/** False for a project that is removed, or about to be: what was added now would belong to nobody. */
export const mayTakeMore = async (tx: WriteTx, projectId: string): Promise<boolean> =>
  (await tx.rows(takesMore, [projectId])).length > 0;
export const findBucket = async (tx: ReadTx, projectId: string): Promise<BucketRow | undefined> =>
  (await tx.rows<BucketRow>(bucket, [projectId]))[0];
export const resizeBucket = (
  tx: WriteTx,
  projectId: string,
  by: { readonly stored: number; readonly reserved: number },
) => tx.run(resize, [projectId, by.stored, by.reserved]);
/** What a namespace stores, and its bucket with it. */
export async function resizeNamespace(
  tx: WriteTx,
  of: { readonly projectId: string; readonly namespaceId: string },
  by: { readonly stored: number; readonly reserved: number },
): Promise<void> {
  await resizeBucket(tx, of.projectId, by);
  await tx.run(resizeOne, [of.namespaceId, by.stored]);
}
export const findNamespace = async (tx: ReadTx, projectId: string, kind: string, name: string) =>
  (await tx.rows<NamespaceRow>(findByPath, [projectId, kind, name]))[0];
export const getNamespace = async (tx: ReadTx, id: string) => (await tx.rows<NamespaceRow>(findById, [id]))[0];
export const insertNamespace = (tx: WriteTx, id: string, projectId: string, kind: string, name: string) =>
  tx.run(insert, [id, projectId, kind, name]);
export const countNamespaces = async (tx: ReadTx, projectId: string): Promise<number> =>
  (await tx.rows<{ namespaces: number }>(count, [projectId]))[0]?.namespaces ?? 0;
/** `onlyUser` hides the namespaces of other people. */
export const listNamespaces = (
  tx: ReadTx,
  of: { readonly organizationId: string; readonly projectId: string; readonly onlyUser: string | undefined },
  after: string | undefined,
  limit: number,
) => tx.rows<NamespaceRow>(list, [of.organizationId, of.projectId, of.onlyUser ?? null, after ?? null, limit]);
