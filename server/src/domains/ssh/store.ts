import type { SshKey } from '@gpuaas/contract';
import { type ReadTx, sql, type WriteTx } from '../../kernel/act.ts';
import { resourceName } from '../../kernel/resource-name.ts';

/** Locks the owner, so that concurrent additions cannot exceed the limit together. */
const hold = sql('ssh-keys-hold', `select pg_advisory_xact_lock(hashtextextended('ssh-keys ' || $1::text, 0))`);
const countMine = sql(
  'ssh-keys-count',
  'select count(*)::int as n from ssh_keys where user_id = $1 and is_me(user_id)',
);
const countOfProject = sql(
  'ssh-keys-count-project',
  'select count(*)::int as n from ssh_keys where project_id = $1 and mine(organization_id)',
);
const insertMine = sql(
  'ssh-key-insert',
  `insert into ssh_keys (id, user_id, name, type, bits, public_key, fingerprint, comment, created_by)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $2)
   on conflict (user_id, fingerprint) do nothing
   returning id, user_id, organization_id, project_id, name, type, bits, public_key, fingerprint, comment, created_at,
     last_used_at, proven_at`,
);
const insertOfProject = sql(
  'ssh-key-insert-project',
  `insert into ssh_keys (id, organization_id, project_id, name, type, bits, public_key, fingerprint, comment, created_by)
   select $1, p.organization_id, p.id, $3, $4, $5::integer, $6, $7, $8, $9::uuid from projects p
   where p.id = $2 and mine(p.organization_id) and p.state <> 'deleted'
   on conflict (project_id, organization_id, fingerprint) do nothing
   returning id, user_id, organization_id, project_id, name, type, bits, public_key, fingerprint, comment, created_at,
     last_used_at, proven_at`,
);
const findProject = sql(
  'ssh-key-project',
  `select id from projects where id = $1 and mine(organization_id) and state <> 'deleted'`,
);
const listMine = sql(
  'ssh-key-list',
  `select id, user_id, organization_id, project_id, name, type, bits, public_key, fingerprint, comment, created_at,
     last_used_at, proven_at
   from ssh_keys where user_id = $1 and is_me(user_id) and ($2::uuid is null or id > $2) order by id limit $3`,
);
const listOfProject = sql(
  'ssh-key-list-project',
  `select id, user_id, organization_id, project_id, name, type, bits, public_key, fingerprint, comment, created_at,
     last_used_at, proven_at
   from ssh_keys where project_id = $1 and mine(organization_id) and ($2::uuid is null or id > $2) order by id limit $3`,
);
const removeMine = sql(
  'ssh-key-remove',
  `delete from ssh_keys where id = $1 and user_id = $2 and is_me(user_id)
   returning id, user_id, organization_id, project_id, name, type, bits, public_key, fingerprint, comment, created_at,
     last_used_at, proven_at`,
);
const removeOfProject = sql(
  'ssh-key-remove-project',
  `delete from ssh_keys where id = $1 and project_id = $2 and mine(organization_id)
   returning id, user_id, organization_id, project_id, name, type, bits, public_key, fingerprint, comment, created_at,
     last_used_at, proven_at`,
);

const findMine = sql(
  'ssh-key-find',
  'select public_key from ssh_keys where id = $1 and user_id = $2 and is_me(user_id)',
);
const proveMine = sql(
  'ssh-key-prove',
  `update ssh_keys set proven_at = act_time() where id = $1 and user_id = $2 and is_me(user_id)
   returning id, user_id, organization_id, project_id, name, type, bits, public_key, fingerprint, comment, created_at,
     last_used_at, proven_at`,
);
const removeAllOfProject = sql(
  'ssh-key-remove-all',
  'delete from ssh_keys where project_id = $1 and mine(organization_id) returning organization_id',
);

interface Row {
  readonly id: string;
  readonly user_id: string | null;
  readonly organization_id: string | null;
  readonly project_id: string | null;
  readonly name: string;
  readonly type: string;
  readonly bits: number;
  readonly public_key: string;
  readonly fingerprint: string;
  readonly comment: string;
  readonly created_at: Date;
  readonly last_used_at: Date | null;
  readonly proven_at: Date | null;
}
export interface NewKey {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly bits: number;
  readonly line: string;
  readonly fingerprint: string;
  readonly comment: string;
}
/** A person's own keys, or those of a project. */
export type KeyOwner =
  | { readonly kind: 'user'; readonly id: string }
  | { readonly kind: 'project'; readonly id: string };

export const showKey = (region: string, row: Row): SshKey => ({
  id: row.id,
  resource_name: resourceName(
    region,
    { organizationId: row.organization_id ?? '', projectId: row.project_id ?? undefined },
    'ssh/key',
    row.id,
  ),
  name: row.name,
  type: row.type,
  bits: row.bits,
  fingerprint: row.fingerprint,
  public_key: row.public_key,
  comment: row.comment,
  user_id: row.user_id,
  project_id: row.project_id,
  created_at: row.created_at.toISOString(),
  proven_at: row.proven_at?.toISOString() ?? null,
  last_used_at: row.last_used_at?.toISOString() ?? null,
});

export async function countKeys(tx: WriteTx, owner: KeyOwner): Promise<number> {
  await tx.rows(hold, [owner.id]);
  const statement = owner.kind === 'user' ? countMine : countOfProject;
  return (await tx.rows<{ n: number }>(statement, [owner.id]))[0]?.n ?? 0;
}
export const projectExists = async (tx: ReadTx, id: string): Promise<boolean> =>
  (await tx.rows(findProject, [id])).length > 0;

export async function insertKey(tx: WriteTx, owner: KeyOwner, key: NewKey, by: string): Promise<Row | undefined> {
  const values = [key.id, owner.id, key.name, key.type, key.bits, key.line, key.fingerprint, key.comment];
  const [row] =
    owner.kind === 'user'
      ? await tx.rows<Row>(insertMine, values)
      : await tx.rows<Row>(insertOfProject, [...values, by]);
  return row;
}
export const listKeys = (tx: ReadTx, owner: KeyOwner, after: string | undefined, limit: number) =>
  tx.rows<Row>(owner.kind === 'user' ? listMine : listOfProject, [owner.id, after ?? null, limit]);
export const removeKey = async (tx: WriteTx, owner: KeyOwner, id: string) =>
  (await tx.rows<Row>(owner.kind === 'user' ? removeMine : removeOfProject, [id, owner.id]))[0];
/** Whose keys they were, once for each key that is gone. */
export const removeKeysOfProject = async (tx: WriteTx, projectId: string): Promise<string[]> =>
  (await tx.rows<{ organization_id: string }>(removeAllOfProject, [projectId])).map((row) => row.organization_id);

const markUsed = sql(
  'ssh-keys-mark-used',
  `update ssh_keys set last_used_at = act_time()
   where (mine(organization_id) or is_me(user_id)) and id in (
     select ssh_key_id from allocation_ssh_keys where allocation_id = $1 and mine(organization_id)
   )`,
);
/** An allocation became active with these keys on it. */
export const markKeysUsed = (tx: WriteTx, allocationId: string) => tx.run(markUsed, [allocationId]);
export const findKey = async (tx: ReadTx, userId: string, id: string): Promise<string | undefined> =>
  (await tx.rows<{ public_key: string }>(findMine, [id, userId]))[0]?.public_key;
/** The owner has signed with the private half. */
export const markProven = async (tx: WriteTx, userId: string, id: string) =>
  (await tx.rows<Row>(proveMine, [id, userId]))[0];
