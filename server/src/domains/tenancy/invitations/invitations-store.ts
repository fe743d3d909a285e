import type { Invitation, TenantRole } from '@gpuaas/contract';
import { type ReadTx, sql, type WriteTx } from '../../../kernel/act.ts';
import { resourceName } from '../../../kernel/resource-name.ts';

const insert = sql(
  'invitation-insert',
  `insert into invitations (id, organization_id, email, role, token_hash, invited_by, expires_at)
   values ($1, $2, $3, $4, $5, $6, $7)
   on conflict (organization_id, email) where state = 'pending' do nothing
   returning id, organization_id, email, role, state, invited_by, accepted_by, expires_at, created_at`,
);
const get = sql(
  'invitation-get',
  `select id, organization_id, email, role, state, invited_by, accepted_by, expires_at, created_at from invitations
   where id = $1 and organization_id = $2 and mine(organization_id)`,
);
const list = sql(
  'invitation-list',
  `select id, organization_id, email, role, state, invited_by, accepted_by, expires_at, created_at from invitations
   where organization_id = $1 and mine(organization_id) and ($2::uuid is null or id < $2)
     and ($4::text is null or $4 = case when state = 'pending' and expires_at <= $5 then 'expired' else state end)
   order by id desc limit $3`,
);
const toMail = sql(
  'invitation-to-mail',
  `select i.organization_id, i.email, i.role, i.state, i.expires_at, i.token_hash, o.name as organization,
     coalesce(n.display_name, p.username) as inviter
   from invitations i join organizations o on o.id = i.organization_id
     join user_posix_identities p on p.user_id = i.invited_by
     left join user_names n on n.user_id = i.invited_by
   where i.id = $1 and mine(i.organization_id) and mine(o.id)`,
);
const pending = sql(
  'invitation-pending-count',
  `select count(*)::int as count from invitations
   where organization_id = $1 and state = 'pending' and expires_at > act_time() and mine(organization_id)`,
);
const lapsed = sql(
  'invitation-lapsed',
  `select id from invitations
   where organization_id = $1 and email = $2 and state = 'pending' and expires_at <= act_time() and mine(organization_id)`,
);
const invited = sql(
  'invitation-of-address',
  `select id from invitations
   where email = $1 and state = 'pending' and expires_at > act_time() and mine(organization_id) limit 1`,
);
const open = sql('invitation-open', 'select invitation, organization, granted from invitation_open($1)');
export const lockInvitation = sql(
  'invitation-lock',
  'select state, version from invitations where id = $1 and mine(organization_id) for update',
);
export const moveInvitation = sql(
  'invitation-move',
  `update invitations set state = $2, version = $3, updated_at = act_time(),
     accepted_by = case when $2 = 'accepted' then current_setting('gpuaas.actor')::uuid end
   where id = $1 and mine(organization_id)`,
);

interface Row {
  readonly id: string;
  readonly organization_id: string;
  readonly email: string;
  readonly role: TenantRole;
  readonly state: Invitation['state'];
  readonly invited_by: string;
  readonly accepted_by: string | null;
  readonly expires_at: Date;
  readonly created_at: Date;
}

/** One that can no longer be accepted is shown as expired, whether or not anything has moved it yet. */
export const showInvitation = (region: string, now: Date, row: Row): Invitation => ({
  id: row.id,
  resource_name: resourceName(region, { organizationId: row.organization_id }, 'tenancy/invitation', row.id),
  organization_id: row.organization_id,
  email: row.email,
  role: row.role,
  state: row.state === 'pending' && row.expires_at <= now ? 'expired' : row.state,
  invited_by: row.invited_by,
  accepted_by: row.accepted_by,
  expires_at: row.expires_at.toISOString(),
  created_at: row.created_at.toISOString(),
});

/** How many can still be accepted. */
export const countPending = async (tx: WriteTx, organizationId: string): Promise<number> =>
  (await tx.rows<{ count: number }>(pending, [organizationId]))[0]?.count ?? 0;
export const insertInvitation = async (
  tx: WriteTx,
  row: {
    readonly id: string;
    readonly organizationId: string;
    readonly email: string;
    readonly role: TenantRole;
    readonly tokenHash: string;
    readonly invitedBy: string;
    readonly expiresAt: Date;
  },
) =>
  (
    await tx.rows<Row>(insert, [
      row.id,
      row.organizationId,
      row.email,
      row.role,
      row.tokenHash,
      row.invitedBy,
      row.expiresAt,
    ])
  )[0];
export const findInvitation = async (tx: ReadTx, id: string, organizationId: string) =>
  (await tx.rows<Row>(get, [id, organizationId]))[0];
/** The content of an invitation email. */
export interface InvitationToMail {
  readonly organization_id: string;
  readonly email: string;
  readonly role: TenantRole;
  readonly state: Invitation['state'];
  readonly expires_at: Date;
  readonly token_hash: string;
  readonly organization: string;
  readonly inviter: string;
}
export const findInvitationToMail = async (tx: ReadTx, id: string): Promise<InvitationToMail | undefined> =>
  (await tx.rows<InvitationToMail>(toMail, [id]))[0];
export const listInvitations = (
  tx: ReadTx,
  organizationId: string,
  /** The state as it is shown: one whose time is over is expired. */
  wanted: { readonly state: string | undefined; readonly now: Date },
  before: string | undefined,
  limit: number,
) => tx.rows<Row>(list, [organizationId, before ?? null, limit, wanted.state ?? null, wanted.now]);
export const findLapsed = async (tx: ReadTx, organizationId: string, email: string) =>
  (await tx.rows<{ id: string }>(lapsed, [organizationId, email]))[0];
export const hasInvitation = async (tx: ReadTx, email: string): Promise<boolean> =>
  (await tx.rows(invited, [email])).length > 0;
/** From here to the end of the transaction the caller stands inside the organization that the token invites to. */
export const openInvitation = async (tx: WriteTx, tokenHash: string) =>
  (await tx.rows<{ invitation: string; organization: string; granted: TenantRole }>(open, [tokenHash]))[0];
