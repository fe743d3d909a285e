import { hash } from 'node:crypto';
import {
  invitationAccept,
  invitationAccepted,
  invitationCreate,
  invitationCreated,
  invitationList,
  invitationRevoke,
  invitationRevoked,
  memberChanged,
} from '@gpuaas/contract';
import { type Database, handlers } from '../../../kernel/act.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Ids } from '../../../kernel/id.ts';
import { readPage } from '../../../kernel/page.ts';
import { resourceName } from '../../../kernel/resource-name.ts';
import { hourMs } from '../../../kernel/units.ts';
import type { Policies } from '../../policy/index.ts';
import { grantFault } from '../access/roles.ts';
import { tokenBytes } from '../facts.ts';
import { advanceInvitation } from '../machine.ts';
import { findRoles, joinMember } from '../members-store.ts';
import {
  countPending,
  findInvitation,
  findLapsed,
  insertInvitation,
  listInvitations,
  openInvitation,
  showInvitation,
} from './invitations-store.ts';

interface Parts {
  readonly db: Database;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly region: string;
  readonly policies: Policies;
  readonly invitationSecret: InvitationSecret | undefined;
  readonly changed: () => void;
}
const on = handlers<Parts>();
/**
 * The secret of an invitation. Where there is a key outside of the database it follows from the id, so that the process
 * that writes the letter knows it as well, and no table, event or log has to carry it.
 */
export type InvitationSecret = (invitationId: string) => string;
export const invitationToken = (secret: string): string => `gpuaas_invite_${secret}`;
export const hashed = (token: string): string => hash('sha256', token, 'hex');
const absent = () => new Fault('invitation_not_found', 'There is no such object.');
/** One answer for every reason: who guesses learns nothing, not even that a guess was once right. */
const invalid = () => new Fault('invitation_invalid', 'This invitation cannot be accepted: ask for a new one.');

export const create = on(invitationCreate, ({ db, ids, clock, region, policies, invitationSecret }, act, { body }) =>
  db.write(act, async (tx) => {
    const { organizationId } = act;
    const email = body.email.toLowerCase();
    const actor = await findRoles(tx, act.actorId, organizationId, undefined);
    const refused = grantFault({ by: actor?.role, toSelf: false, from: undefined, to: body.role });
    if (refused) return tx.abandon(refused);
    const lapsed = await findLapsed(tx, organizationId, email);
    if (lapsed) await advanceInvitation(tx, lapsed.id, 'expire');
    const most = policies.number('tenancy.max_pending_invitations', { organizationId });
    if ((await countPending(tx, organizationId)) >= most) {
      return tx.abandon(
        new Fault(
          'invitation_limit_reached',
          `${most} invitations wait to be accepted, and more are not allowed: revoke some first.`,
          { limit: most },
        ),
      );
    }
    const id = ids.next();
    const token = invitationToken(invitationSecret?.(id) ?? ids.secret(tokenBytes));
    const now = clock.now();
    const row = await insertInvitation(tx, {
      id,
      organizationId,
      email,
      role: body.role,
      tokenHash: hashed(token),
      invitedBy: act.actorId,
      expiresAt: new Date(now.getTime() + policies.number('tenancy.invitation_ttl_hours', { organizationId }) * hourMs),
    });
    if (!row) {
      return tx.abandon(
        new Fault('invitation_pending', 'This address is invited already: revoke that invitation to make another one.'),
      );
    }
    return tx.commit(
      { ...showInvitation(region, now, row), token },
      {
        target: { type: 'invitation', id: row.id },
        change: { role: row.role },
        events: [invitationCreated.of(row.id, { invitation_id: row.id, role: row.role })],
      },
    );
  }),
);

export const list = on(invitationList, ({ db, clock, region }, who, { params, query }) => {
  const now = clock.now();
  return readPage({
    name: 'invitations',
    query,
    read: (before, limit) =>
      db.read(who, (tx) => listInvitations(tx, params.organization_id, { state: query.state, now }, before, limit)),
    keyOf: (row) => row.id,
    show: (row) => showInvitation(region, now, row),
  });
});

export const revoke = on(invitationRevoke, ({ db, clock, region }, act, { params }) =>
  db.write(act, async (tx) => {
    const { invitation_id: id, organization_id: organizationId } = params;
    if (!(await findInvitation(tx, id, organizationId))) return tx.abandon(absent());
    const moved = await advanceInvitation(tx, id, 'revoke');
    if (moved instanceof Fault) return tx.abandon(new Fault('illegal_transition', moved.message, moved.details));
    const row = await findInvitation(tx, id, organizationId);
    if (!moved || !row) return tx.abandon(absent());
    return tx.commit(showInvitation(region, clock.now(), row), {
      target: { type: 'invitation', id },
      change: { state: [moved.from, moved.to] },
      events: [invitationRevoked.of(id, { invitation_id: id })],
    });
  }),
);

export const accept = on(invitationAccept, async ({ db, region, changed }, act, { body }) => {
  const written = await db.write(act, async (tx) => {
    const opened = await openInvitation(tx, hashed(body.token));
    if (!opened) return tx.abandon(invalid());
    const { invitation: id, organization: organizationId, granted: role } = opened;
    const moved = await advanceInvitation(tx, id, 'accept');
    // Another request with the same token was faster.
    if (!moved || moved instanceof Fault) return tx.abandon(invalid());
    if (!(await joinMember(tx, act.actorId, organizationId, role))) {
      return tx.abandon(new Fault('already_member', 'You belong to this organization already.'));
    }
    const joined = {
      organization_id: organizationId,
      resource_name: resourceName(region, { organizationId }, 'tenancy/organization', organizationId),
      role,
    };
    return tx.commit(joined, {
      organizationId,
      target: { type: 'invitation', id },
      change: { user_id: act.actorId, role },
      events: [
        invitationAccepted.of(id, { invitation_id: id, user_id: act.actorId, role }),
        memberChanged.of(act.actorId, { user_id: act.actorId, role }),
      ],
    });
  });
  if (!(written instanceof Fault)) changed();
  return written;
});
