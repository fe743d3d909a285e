import { memberChanged, memberLeave, memberList, memberRemove, memberUpdate, type TenantRole } from '@gpuaas/contract';
import { type Act, type Database, handlers, type WriteTx } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import { readPage } from '../../kernel/page.ts';
import { grantFault } from './access/roles.ts';
import { findMember, holdMembers, listMembers, removeMember, setMemberRole, showMember } from './members-store.ts';

interface Parts {
  readonly db: Database;
  readonly region: string;
  /** Notifies every process, this one first, that a role changed. */
  readonly changed: () => void;
}
const on = handlers<Parts>();
const absent = () => new Fault('member_not_found', 'There is no such object.');

export const list = on(memberList, ({ db, region }, who, { params, query }) =>
  readPage({
    name: 'members',
    query,
    read: (after, limit) => db.read(who, (tx) => listMembers(tx, params.organization_id, after, limit)),
    keyOf: (row) => row.user_id,
    show: (row) => showMember(region, row),
  }),
);

export const update = on(memberUpdate, async ({ db, region, changed }, act, { params, body }) => {
  const { organization_id: organizationId, user_id: userId } = params;
  const written = await db.write(act, async (tx) => {
    const from = await heldRole(tx, act, organizationId, userId, body.role);
    if (from instanceof Fault) return tx.abandon(from);
    await setMemberRole(tx, organizationId, userId, body.role);
    const row = await findMember(tx, organizationId, userId);
    if (!row) return tx.abandon(absent());
    return tx.commit(showMember(region, row), {
      target: { type: 'member', id: userId },
      change: { role: [from, body.role] },
      events: [memberChanged.of(userId, { user_id: userId, role: body.role })],
    });
  });
  if (!(written instanceof Fault)) changed();
  return written;
});

export const remove = on(memberRemove, async ({ db, region, changed }, act, { params }) => {
  const { organization_id: organizationId, user_id: userId } = params;
  const written = await db.write(act, async (tx) => {
    const from = await heldRole(tx, act, organizationId, userId, undefined);
    if (from instanceof Fault) return tx.abandon(from);
    await removeMember(tx, organizationId, userId);
    const row = await findMember(tx, organizationId, userId);
    if (!row) return tx.abandon(absent());
    return tx.commit(showMember(region, row), {
      target: { type: 'member', id: userId },
      change: { role: [from, null] },
      events: [memberChanged.of(userId, { user_id: userId, role: null })],
    });
  });
  if (!(written instanceof Fault)) changed();
  return written;
});

/** Nobody needs a right to go. Only the last owner cannot: an organization without one can be helped by nobody in it. */
export const leave = on(memberLeave, async ({ db, region, changed }, act, { params }) => {
  const organizationId = params.organization_id;
  const written = await db.write(act, async (tx) => {
    const held = await holdMembers(tx, organizationId, act.actorId, act.actorId);
    const from = held.find((member) => member.user_id === act.actorId)?.role;
    if (from === undefined) return tx.abandon(absent());
    if (isLastOwner(held, from)) return tx.abandon(lastOwner());
    await removeMember(tx, organizationId, act.actorId);
    const row = await findMember(tx, organizationId, act.actorId);
    if (!row) return tx.abandon(absent());
    return tx.commit(showMember(region, row), {
      target: { type: 'member', id: act.actorId },
      change: { role: [from, null] },
      events: [memberChanged.of(act.actorId, { user_id: act.actorId, role: null })],
    });
  });
  if (!(written instanceof Fault)) changed();
  return written;
});

const lastOwner = () => new Fault('last_owner', 'This is the only owner: make another member an owner first.');
const isLastOwner = (held: readonly { readonly role: TenantRole }[], from: TenantRole): boolean =>
  from === 'owner' && held.filter(({ role }) => role === 'owner').length === 1;

/**
 * The current role of a person, if it may become `to`. Roles are read under a lock and not from the cache of the mount:
 * a person who has just lost ownership cannot use it once more.
 */
async function heldRole(
  tx: WriteTx,
  act: Act,
  organizationId: string,
  userId: string,
  to: TenantRole | undefined,
): Promise<TenantRole | Fault<'member_not_found' | 'last_owner' | 'insufficient_permissions' | 'ownership_required'>> {
  const held = await holdMembers(tx, organizationId, act.actorId, userId);
  const roleOf = (id: string) => held.find((member) => member.user_id === id)?.role;
  const from = roleOf(userId);
  if (from === undefined) return absent();
  const refused = grantFault({ by: roleOf(act.actorId), toSelf: userId === act.actorId, from, to });
  if (refused) return refused;
  return to !== 'owner' && isLastOwner(held, from) ? lastOwner() : from;
}
