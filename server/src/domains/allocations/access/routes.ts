import {
  type AccessGrant,
  accessGrantCreate,
  accessGrantList,
  accessGrantRevoke,
  accessGrantUpdate,
} from '@gpuaas/contract';
import { type Act, handlers, type InOrganization, type Mounted, systemViewer } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import { readPage } from '../../../kernel/page.ts';
import { dayMs } from '../../../kernel/units.ts';
import { keyWriters } from '../keys/writers.ts';
import type { AllocationParts } from '../parts.ts';
import { type AllocationRow, findAllocation, holdAllocation } from '../store.ts';
import {
  findGrantee,
  type GrantRow,
  holdGrant,
  insertGrant,
  listGrantees,
  listGrants,
  moveGrant,
  revokeGrant,
} from './store.ts';

type Parts = Pick<AllocationParts, 'db' | 'ids' | 'clock' | 'policies'>;
const on = handlers<Parts>();
const absent = () => new Fault('allocation_not_found', 'There is no such allocation.');
const noGrant = () => new Fault('access_grant_not_found', 'The allocation has no such grant.');
const notYours = () =>
  new Fault(
    'ownership_required',
    'Only who created the allocation, or an admin or owner, decides who else works in it.',
  );
/** A grant is a way into the machine: its requester and administrators of the project or the organization decide about it. */
const mayGrant = (row: Pick<AllocationRow, 'requested_by'>, act: Pick<Act, 'actorId' | 'actorRole'>): boolean =>
  row.requested_by === act.actorId || act.actorRole === 'admin' || act.actorRole === 'owner';
const isOver = ({ state }: Pick<AllocationRow, 'state'>): boolean =>
  !['requested', 'provisioning', 'active'].includes(state);

/** Why a grant cannot end at this time. */
function whyNotUntil({ clock, policies }: Parts, act: Act & InOrganization, until: Date) {
  const now = clock.now().getTime();
  const days = policies.number('allocation.access_grant_max_days', act);
  if (until.getTime() > now && until.getTime() <= now + days * dayMs) return undefined;
  return new Fault('validation_error', `A grant ends in the future, and within ${days} days.`, { field: 'expires_at' });
}

const create = on(accessGrantCreate, async (parts, act, { params, body }) => {
  const { db, ids, policies } = parts;
  const until = new Date(body.expires_at);
  const late = whyNotUntil(parts, act, until);
  if (late) return late;
  // Other people and their keys are outside of what the caller may read.
  const viewer = systemViewer('allocations', { correlationId: act.correlationId });
  const person = await db.read(viewer, (tx) =>
    findGrantee(tx, {
      ...{ userId: body.user_id, organizationId: act.organizationId, allocationId: params.allocation_id },
      ...{ sshKeyId: body.ssh_key_id, roles: keyWriters },
    }),
  );
  return db.write(act, async (tx) => {
    const row = await holdAllocation(tx, params.allocation_id);
    if (!row) return tx.abandon(absent());
    if (!mayGrant(row, act)) return tx.abandon(notYours());
    if (isOver(row)) return tx.abandon(new Fault('illegal_transition', `The allocation is ${row.state}.`));
    if (!person) {
      return tx.abandon(
        new Fault(
          'member_not_found',
          'No member who may use allocations of this project has this id. Invite them first.',
        ),
      );
    }
    if (!person.has_key) return tx.abandon(new Fault('ssh_key_not_found', 'The person has no such key.'));
    const grantees = await listGrantees(tx, row.id);
    const limit = policies.number('allocation.access_grants_max', act);
    if (grantees.includes(body.user_id)) {
      return tx.abandon(
        new Fault('access_grant_exists', 'The person has a grant already: change when it ends, or revoke it.'),
      );
    }
    if (grantees.length >= limit) {
      return tx.abandon(new Fault('access_grant_limit', `There are ${limit} grants already: revoke one.`, { limit }));
    }
    const grant = await insertGrant(tx, {
      ...{ id: ids.next(), organization_id: row.organization_id, project_id: row.project_id, allocation_id: row.id },
      ...{ user_id: body.user_id, ssh_key_id: body.ssh_key_id ?? null, reason: body.reason ?? '' },
      ...{ granted_by: act.actorId, expires_at: until },
    });
    return tx.commit(show(grant), { ...receiptOf(grant), events: 'none' });
  });
});

const list = on(accessGrantList, async ({ db }, who, { params, query }) => {
  if (!(await db.read(who, (tx) => findAllocation(tx, params.allocation_id)))) return absent();
  const of = { organizationId: who.organizationId, allocationId: params.allocation_id, active: query.active };
  return readPage({
    name: 'access-grants',
    query,
    read: (before, limit) => db.read(who, (tx) => listGrants(tx, of, before, limit)),
    keyOf: (row) => row.id,
    show,
  });
});

const update = on(accessGrantUpdate, async (parts, act, { params, body }) => {
  const until = new Date(body.expires_at);
  const late = whyNotUntil(parts, act, until);
  if (late) return late;
  return parts.db.write(act, async (tx) => {
    const row = await holdAllocation(tx, params.allocation_id);
    if (!row) return tx.abandon(absent());
    if (!mayGrant(row, act)) return tx.abandon(notYours());
    const grant = await holdGrant(tx, params.access_grant_id, row.id);
    if (!grant) return tx.abandon(noGrant());
    if (!grant.is_active || isOver(row)) {
      return tx.abandon(new Fault('illegal_transition', 'The grant has ended. Make a new one.'));
    }
    const moved = (await moveGrant(tx, grant.id, until)) ?? grant;
    return tx.commit(show(moved), { ...receiptOf(moved), events: 'none' });
  });
});

const revoke = on(accessGrantRevoke, ({ db }, act, { params }) =>
  db.write(act, async (tx) => {
    const row = await holdAllocation(tx, params.allocation_id);
    const grant = row && (await holdGrant(tx, params.access_grant_id, row.id));
    if (!row || !grant) return tx.abandon(row ? noGrant() : absent());
    // A person may always give back what was granted.
    if (grant.user_id !== act.actorId && !mayGrant(row, act)) return tx.abandon(notYours());
    const revoked = (await revokeGrant(tx, grant.id, act.actorId)) ?? grant;
    return tx.commit(show(revoked), { ...receiptOf(revoked), events: 'none' });
  }),
);

const receiptOf = (row: GrantRow) => ({
  target: { type: 'access_grant', id: row.id },
  about: row.user_id,
  change: {
    ...{ allocation_id: row.allocation_id, user_id: row.user_id, ssh_key_id: row.ssh_key_id },
    expires_at: row.expires_at.toISOString(),
  },
});
function stateOf({ is_active, revoked_at }: GrantRow): AccessGrant['state'] {
  if (is_active) return 'active';
  return revoked_at ? 'revoked' : 'expired';
}
const show = (row: GrantRow): AccessGrant => ({
  ...{ id: row.id, organization_id: row.organization_id, project_id: row.project_id, user_id: row.user_id },
  ...{ allocation_id: row.allocation_id, ssh_key_id: row.ssh_key_id, reason: row.reason, granted_by: row.granted_by },
  ...{ state: stateOf(row), created_at: row.created_at.toISOString(), expires_at: row.expires_at.toISOString() },
  ...{ revoked_at: row.revoked_at?.toISOString() ?? null, revoked_by: row.revoked_by },
});

export const accessRoutes = (parts: Parts): Mounted[] => [create, list, update, revoke].map((bind) => bind(parts));
