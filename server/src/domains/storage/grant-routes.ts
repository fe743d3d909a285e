import {
  storageGrantCreate,
  storageGrantCreated,
  storageGrantList,
  storageGrantRevoke,
  storageGrantRevoked,
} from '@gpuaas/contract';
import { handlers, type Mounted, systemViewer } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import { readPage } from '../../kernel/page.ts';
import { denied, findPlace, includes, levelIn } from './access.ts';
import { openNamespace } from './change.ts';
import type { StorageParts } from './parts.ts';
import { showGrant } from './show.ts';
import {
  countGrants,
  findGrant,
  type GrantRow,
  insertGrant,
  isGrantee,
  listGiven,
  listReceived,
  revokeGrant,
} from './stores/grants-store.ts';

const on = handlers<StorageParts>();
const noGrant = () => new Fault('storage_grant_not_found', 'There is no such grant.');
const payloadOf = (row: GrantRow) => ({
  ...{ grant_id: row.id, namespace_id: row.namespace_id, organization_id: row.organization_id },
  ...{ project_id: row.project_id, grantee_kind: row.grantee_kind, grantee_id: row.grantee_id, level: row.level },
});
const changeOf = ({ namespace_id, grantee_kind, grantee_id, level }: GrantRow) => ({
  ...{ namespace_id, grantee_kind, grantee_id, level },
});

const create = on(storageGrantCreate, async (parts, act, { body }) => {
  const { db, ids, clock, policies } = parts;
  const expiresAt = body.expires_at === undefined ? null : new Date(body.expires_at);
  if (expiresAt && expiresAt <= clock.now()) {
    return new Fault('validation_error', 'A grant ends in the future.', {
      fields: [{ in: 'body', field: 'expires_at', message: 'is in the past' }],
    });
  }
  const inside = systemViewer('storage', { correlationId: act.correlationId, organizationId: act.organizationId });
  const isThere = await db.read(inside, (tx) => isGrantee(tx, body.grantee_kind, body.grantee_id, act.organizationId));
  return db.write(act, async (tx) => {
    const place = await findPlace(tx, act, { path: body.path });
    if (place instanceof Fault) return tx.abandon(place);
    if (!includes(place.level, 'manage')) return tx.abandon(denied());
    const { path } = place;
    if (path.leaf !== '' || path.folder !== '') {
      return tx.abandon(
        new Fault('storage_path_invalid', 'A grant is on a whole namespace, such as datasets/imagenet/.'),
      );
    }
    const isOwn = body.grantee_kind === 'project' && body.grantee_id === act.projectId;
    if (!isThere || isOwn) {
      const words = 'The organization has no such person, service account or other project.';
      return tx.abandon(new Fault('storage_grantee_not_found', words));
    }
    const opened = await openNamespace(tx, parts, act, place);
    if (opened instanceof Fault) return tx.abandon(opened);
    const most = policies.number('storage.grants_max', act);
    if ((await countGrants(tx, opened.namespace.id)) >= most) {
      return tx.abandon(new Fault('storage_limit_reached', `A namespace may have ${most} grants: revoke one.`));
    }
    const id = ids.next();
    const made = await insertGrant(tx, {
      ...{ id, namespace_id: opened.namespace.id, grantee_kind: body.grantee_kind, grantee_id: body.grantee_id },
      ...{ level: body.level, granted_by: act.actorId, expires_at: expiresAt },
    });
    if (!made) {
      return tx.abandon(
        new Fault('storage_grant_exists', 'There is a grant already: revoke it before you make another one.'),
      );
    }
    const row = await findGrant(tx, id, act.organizationId);
    if (!row) throw new Error('a grant was not stored');
    return tx.commit(showGrant(row), {
      ...{ target: { type: 'storage_grant', id }, change: changeOf(row) },
      ...(row.grantee_kind === 'user' && { about: row.grantee_id }),
      events: [...opened.events, storageGrantCreated.of(row.namespace_id, payloadOf(row))],
    });
  });
});

const list = on(storageGrantList, ({ db }, who, { query }) => {
  const { organizationId, projectId, actorId } = who;
  const isReceived = query.side === 'received';
  return readPage({
    name: isReceived ? 'storage-grants-received' : 'storage-grants',
    query,
    read: (before, limit) =>
      db.read(who, (tx) =>
        isReceived
          ? listReceived(tx, { organizationId, grantees: [actorId, projectId] }, before, limit)
          : listGiven(tx, { organizationId, projectId }, before, limit),
      ),
    keyOf: ({ id }) => id,
    show: showGrant,
  });
});

const revoke = on(storageGrantRevoke, ({ db }, act, { params }) =>
  db.write(act, async (tx) => {
    const row = await findGrant(tx, params.storage_grant_id, act.organizationId);
    // The grantee sees a grant as well, and may give it back.
    const isMine = row?.grantee_id === act.actorId;
    if (!row || row.revoked_at !== null || (row.project_id !== act.projectId && !isMine)) return tx.abandon(noGrant());
    const owner = { projectId: row.project_id, namespaceId: row.namespace_id };
    const level = await levelIn(tx, act, row, owner);
    if (!isMine && level === 'none') return tx.abandon(noGrant());
    if (!isMine && !includes(level, 'manage')) return tx.abandon(denied());
    await revokeGrant(tx, row.id);
    const revoked = (await findGrant(tx, row.id, act.organizationId)) ?? row;
    return tx.commit(showGrant(revoked), {
      ...{ target: { type: 'storage_grant', id: row.id }, change: changeOf(row) },
      ...(row.grantee_kind === 'user' && { about: row.grantee_id }),
      events: [storageGrantRevoked.of(row.namespace_id, payloadOf(row))],
    });
  }),
);

export const grantRoutes = (parts: StorageParts): Mounted[] => [create, list, revoke].map((bind) => bind(parts));
