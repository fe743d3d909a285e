import { type ReadTx, sql } from '../../../kernel/act.ts';
import { mostCandidates } from '../facts.ts';
import { administrators, writers } from '../rights-store.ts';

/**
 * What a client shows, by the fingerprint of its bytes: a key that people registered, or a certificate of ours. Public keys are public:
 * a stranger can register one, too. Where an owner has proven to hold the key, it names that owner alone. A certificate ends with the
 * sign-ins of its person.
 */
const shown = `(
     select k.user_id, k.id as ssh_key_id, null::uuid as ssh_certificate_id, null::uuid as allocation_id from ssh_keys k
     where k.fingerprint = $1 and k.user_id is not null and is_me(k.user_id)
       and (k.proven_at is not null or not exists (
         select from ssh_keys o
         where o.fingerprint = $1 and o.user_id is not null and o.proven_at is not null and is_me(o.user_id)
       ))
     union all
     select c.user_id, null::uuid, c.id, c.allocation_id from ssh_certificates c
     where c.fingerprint = $1 and c.revoked_at is null and c.expires_at > act_time() and mine(c.organization_id)
       and not exists (
         select from sign_in_floors f
         where f.user_id = c.user_id and f.not_before >= c.created_at and is_me(f.user_id)
       )
   ) s`;
const known = sql(
  'jump-key-known',
  `select from ${shown} join users u on u.id = s.user_id and u.disabled_at is null and is_me(u.id) limit 1`,
);
/**
 * The allocations that the people of a key may enter, of those with this id or name. Several people can have registered the same
 * public key, so the key alone names nobody: its person is one who may enter the allocation.
 */
const candidates = sql(
  'jump-candidates',
  `select a.id, a.organization_id, a.project_id, s.ssh_key_id, s.ssh_certificate_id, u.id as user_id
   from ${shown}
     join users u on u.id = s.user_id and u.disabled_at is null and is_me(u.id)
     join tenant_memberships m on m.user_id = s.user_id and m.deleted_at is null and mine(m.organization_id)
     join allocations a on a.organization_id = m.organization_id and mine(a.organization_id)
       and a.state not in ('released', 'failed')
     left join project_memberships p on p.project_id = a.project_id and p.user_id = s.user_id and p.deleted_at is null
       and mine(p.organization_id)
   where (s.allocation_id is null or s.allocation_id = a.id)
     and (a.id = $2::uuid or ($2::uuid is null and lower(a.name) = lower($3)))
     and (m.role = any ($4) or p.role = any ($4)
       or ((a.requested_by = s.user_id::text or exists (
         select from allocation_access_grants g
         where g.allocation_id = a.id and g.user_id = s.user_id and g.revoked_at is null
           and g.expires_at > act_time() and mine(g.organization_id)
       ))
         and (m.role = any ($5) or p.role = any ($5))))
   order by a.id, s.ssh_key_id limit $6`,
);

export const isKnownKey = async (tx: ReadTx, fingerprint: string): Promise<boolean> =>
  (await tx.rows(known, [fingerprint])).length > 0;

export interface Candidate {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly ssh_key_id: string | null;
  readonly ssh_certificate_id: string | null;
  readonly user_id: string;
}
export const listCandidates = (
  tx: ReadTx,
  of: { readonly fingerprint: string; readonly id: string | undefined; readonly name: string },
) => tx.rows<Candidate>(candidates, [of.fingerprint, of.id ?? null, of.name, administrators, writers, mostCandidates]);
