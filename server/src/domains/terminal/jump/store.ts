import { type ReadTx, sql, type WriteTx } from '../../../kernel/act.ts';
import { mostCandidates } from '../facts.ts';
import { administrators, writers } from '../rights-store.ts';

const findKey = sql('ssh-platform-key', 'select public_key, sealed_private_key from ssh_platform_keys where kind = $1');
const insertKey = sql(
  'ssh-platform-key-insert',
  `insert into ssh_platform_keys (kind, public_key, sealed_private_key) values ($1, $2, $3) on conflict (kind) do nothing`,
);
export const sealedCount = sql(
  'ssh-platform-key-sealed-count',
  `select sealed_key_id(sealed_private_key) as key_id, count(*) as values from ssh_platform_keys group by 1 order by 1`,
);
export const sealedStale = sql(
  'ssh-platform-key-sealed-stale',
  `select kind as at, sealed_private_key as sealed from ssh_platform_keys
   where sealed_key_id(sealed_private_key) = any ($1::text[]) and kind > $2 order by kind limit $3`,
);
export const sealedReplace = sql(
  'ssh-platform-key-sealed-replace',
  'update ssh_platform_keys set sealed_private_key = $3 where kind = $1 and sealed_private_key = $2',
);
const known = sql(
  'jump-key-known',
  `select from ssh_keys k join users u on u.id = k.user_id and u.disabled_at is null and is_me(u.id)
   where k.fingerprint = $1 and k.user_id is not null and is_me(k.user_id) limit 1`,
);
/**
 * The allocations that the people of a key may enter, of those with this id or name. Several people can have registered the same
 * public key, so the key alone names nobody: its person is one who may enter the allocation.
 */
const candidates = sql(
  'jump-candidates',
  `select a.id, a.organization_id, a.project_id, k.id as ssh_key_id, u.id as user_id
   from ssh_keys k
     join users u on u.id = k.user_id and u.disabled_at is null and is_me(u.id)
     join tenant_memberships m on m.user_id = k.user_id and m.deleted_at is null and mine(m.organization_id)
     join allocations a on a.organization_id = m.organization_id and mine(a.organization_id)
       and a.state not in ('released', 'failed')
     left join project_memberships p on p.project_id = a.project_id and p.user_id = k.user_id and p.deleted_at is null
       and mine(p.organization_id)
   where k.fingerprint = $1 and k.user_id is not null and is_me(k.user_id)
     and (a.id = $2::uuid or ($2::uuid is null and lower(a.name) = lower($3)))
     and (m.role = any ($4) or p.role = any ($4)
       or (a.requested_by = k.user_id::text and (m.role = any ($5) or p.role = any ($5))))
   order by a.id, k.id limit $6`,
);

export const findPlatformKey = async (tx: ReadTx, kind: string) =>
  (await tx.rows<{ public_key: string; sealed_private_key: Buffer }>(findKey, [kind]))[0];
/** A key that is there stays. */
export const insertPlatformKey = (tx: WriteTx, kind: string, publicKey: string, sealed: Buffer) =>
  tx.run(insertKey, [kind, publicKey, sealed]);
export const isKnownKey = async (tx: ReadTx, fingerprint: string): Promise<boolean> =>
  (await tx.rows(known, [fingerprint])).length > 0;

export interface Candidate {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly ssh_key_id: string;
  readonly user_id: string;
}
export const listCandidates = (
  tx: ReadTx,
  of: { readonly fingerprint: string; readonly id: string | undefined; readonly name: string },
) => tx.rows<Candidate>(candidates, [of.fingerprint, of.id ?? null, of.name, administrators, writers, mostCandidates]);
