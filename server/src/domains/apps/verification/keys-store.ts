import type { AppSigningKey } from '@gpuaas/contract';
import { type ReadTx, sql, type WriteTx } from '../../../kernel/act.ts';
import type { PinnedKey } from './public-key.ts';

export interface KeyRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly name: string;
  readonly kind: PinnedKey['kind'];
  readonly public_key: string;
  readonly fingerprint: string;
  readonly created_at: Date;
}
interface OfProject {
  readonly organizationId: string;
  readonly projectId: string;
}
const insert = sql(
  'app-signing-key-insert',
  `insert into app_signing_keys (id, organization_id, project_id, name, kind, public_key, fingerprint)
   values ($1, $2, $3, $4, $5, $6, $7) on conflict (project_id, fingerprint) do nothing`,
);
const find = sql(
  'app-signing-key-find',
  `select id, organization_id, project_id, name, kind, public_key, fingerprint, created_at
   from app_signing_keys where id = $1 and project_id = $2 and mine(organization_id)`,
);
const list = sql(
  'app-signing-key-list',
  `select id, organization_id, project_id, name, kind, public_key, fingerprint, created_at
   from app_signing_keys
   where organization_id = $1 and project_id = $2 and mine(organization_id) and ($3::uuid is null or id < $3)
   order by id desc limit $4`,
);
const remove = sql(
  'app-signing-key-delete',
  'delete from app_signing_keys where id = $1 and project_id = $2 and mine(organization_id)',
);
/** So that concurrent additions cannot exceed the limit together. */
const hold = sql(
  'app-signing-keys-hold',
  `select pg_advisory_xact_lock(hashtextextended('app keys ' || $1::uuid::text, 0))`,
);
const count = sql(
  'app-signing-key-count',
  'select count(*)::int as keys from app_signing_keys where project_id = $1 and mine(organization_id)',
);

/** False when the project has this key already. */
export const insertKey = async (
  tx: WriteTx,
  of: OfProject & { readonly id: string; readonly name: string },
  key: Omit<PinnedKey, 'name'>,
): Promise<boolean> =>
  (await tx.run(insert, [
    ...[of.id, of.organizationId, of.projectId, of.name],
    ...[key.kind, key.publicKey, key.fingerprint],
  ])) > 0;
export const findKey = async (tx: ReadTx, projectId: string, id: string): Promise<KeyRow | undefined> =>
  (await tx.rows<KeyRow>(find, [id, projectId]))[0];
export const listKeys = (tx: ReadTx, of: OfProject, after: string | undefined, limit: number) =>
  tx.rows<KeyRow>(list, [of.organizationId, of.projectId, after ?? null, limit]);
export const deleteKey = (tx: WriteTx, projectId: string, id: string) => tx.run(remove, [id, projectId]);
export async function holdAndCountKeys(tx: WriteTx, projectId: string): Promise<number> {
  await tx.rows(hold, [projectId]);
  return (await tx.rows<{ keys: number }>(count, [projectId]))[0]?.keys ?? 0;
}
export const showKey = (row: KeyRow): AppSigningKey => ({ ...row, created_at: row.created_at.toISOString() });
