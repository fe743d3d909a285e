import { hash } from 'node:crypto';
import { type StorageLink, storageLinkCreate, storageLinkList, storageLinkRevoke } from '@gpuaas/contract';
import { handlers, type Mounted } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import { readPage } from '../../kernel/page.ts';
import { hourMs } from '../../kernel/units.ts';
import { absent, denied, findPlace, includes, levelIn, pathIn } from './access.ts';
import { secretBytes } from './facts.ts';
import { linkPath } from './links.ts';
import type { StorageParts } from './parts.ts';
import { onlyUserOf } from './read-routes.ts';
import { countLinks, findLink, insertLink, type LinkRow, listLinks, revokeLink } from './stores/links-store.ts';
import { holdBucket } from './stores/namespaces-store.ts';
import { findObject } from './stores/objects-store.ts';

const on = handlers<StorageParts>();
const noLink = () => new Fault('storage_link_not_found', 'There is no such link.');

const showLink = (row: LinkRow): StorageLink => ({
  ...{ id: row.id, project_id: row.project_id, namespace_id: row.namespace_id, storage_object_id: row.object_id },
  path: pathIn({ kind: row.kind, name: row.namespace_name }, row),
  ...{ size_bytes: Number(row.size_bytes), works: row.deleted_at === null && row.revoked_at === null },
  ...{ created_by: row.created_by, created_at: row.created_at.toISOString() },
  ...{ expires_at: row.expires_at.toISOString(), revoked_at: row.revoked_at?.toISOString() ?? null },
  ...{ opened: Number(row.opened), last_opened_at: row.last_opened_at?.toISOString() ?? null },
});

/** Why a link cannot live that long. */
function whyNotSoLong(hours: number, most: number): Fault<'storage_access_denied' | 'validation_error'> | undefined {
  if (most === 0) return new Fault('storage_access_denied', 'Links to files are switched off here.');
  if (hours <= most) return undefined;
  return new Fault('validation_error', `A link works for ${most} hours at most here.`, {
    fields: [{ in: 'body', field: 'hours', message: `is more than ${most}` }],
  });
}

const create = on(storageLinkCreate, async ({ db, ids, clock, policies, publicUrl }, act, { body }) => {
  const tooLong = whyNotSoLong(body.hours, policies.number('storage.link_hours_max', act));
  if (tooLong) return tooLong;
  return db.write(act, async (tx) => {
    const place = await findPlace(tx, act, { path: body.path });
    if (place instanceof Fault) return tx.abandon(place);
    const { namespace, path } = place;
    const file = namespace && path.leaf !== '' && (await findObject(tx, namespace.id, path.folder, path.leaf));
    if (!file || (path.isFolder && !file.is_folder)) return tx.abandon(absent());
    // A link reaches further than a grant, so it asks for no less.
    if (!includes(place.level, 'manage')) return tx.abandon(denied());
    if (file.is_folder) return tx.abandon(new Fault('storage_is_folder', 'A link opens one file: name a file.'));
    await holdBucket(tx, act.projectId);
    const most = policies.number('storage.links_max', act);
    if ((await countLinks(tx, act)) >= most) {
      return tx.abandon(new Fault('storage_limit_reached', `A project may have ${most} links: revoke one.`));
    }
    const [id, secret] = [ids.next(), ids.secret(secretBytes)];
    await insertLink(tx, {
      ...{ id, organization_id: act.organizationId, project_id: act.projectId, object_id: file.id },
      ...{ digest: hash('sha256', secret, 'hex'), created_by: act.actorId },
      expires_at: new Date(clock.now().getTime() + body.hours * hourMs),
    });
    const row = await findLink(tx, id);
    if (!row) throw new Error('a link was not stored');
    return tx.commit(
      { ...showLink(row), url: `${publicUrl}${linkPath}?s=${secret}` },
      {
        target: { type: 'storage_link', id },
        change: { namespace_id: row.namespace_id, object_id: file.id, expires_at: row.expires_at.toISOString() },
        events: 'none',
      },
    );
  });
});

const list = on(storageLinkList, ({ db }, who, { query }) =>
  readPage({
    name: 'storage-links',
    query,
    read: (before, limit) => db.read(who, (tx) => listLinks(tx, { ...who, onlyUser: onlyUserOf(who) }, before, limit)),
    keyOf: ({ id }) => id,
    show: showLink,
  }),
);

const revoke = on(storageLinkRevoke, ({ db }, act, { params }) =>
  db.write(act, async (tx) => {
    const row = await findLink(tx, params.storage_link_id);
    if (!row || row.revoked_at !== null || row.project_id !== act.projectId) return tx.abandon(noLink());
    const of = { kind: row.kind, name: row.namespace_name };
    const level = await levelIn(tx, act, of, { projectId: row.project_id, namespaceId: row.namespace_id });
    if (level === 'none') return tx.abandon(noLink());
    if (row.created_by !== act.actorId && !includes(level, 'manage')) return tx.abandon(denied());
    await revokeLink(tx, row.id);
    return tx.commit(showLink((await findLink(tx, row.id)) ?? row), {
      target: { type: 'storage_link', id: row.id },
      change: { namespace_id: row.namespace_id, object_id: row.object_id },
      events: 'none',
    });
  }),
);

export const linkRoutes = (parts: StorageParts): Mounted[] => [create, list, revoke].map((bind) => bind(parts));
