import { adminAppVersionList, adminAppVersionRevoke, appArtifactRevoked } from '@gpuaas/contract';
import { handlers, type Mounted } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import { readPage } from '../../../kernel/page.ts';
import { mostAffected } from '../facts.ts';
import type { AppParts } from '../parts.ts';
import { findApp } from '../store.ts';
import { revokeTrust } from './machine.ts';
import { artifactOf } from './routes.ts';
import { findVersion, listAllVersions, showVersion } from './store.ts';

const on = handlers<AppParts>();

const list = on(adminAppVersionList, ({ db, region }, who, { query }) =>
  readPage({
    name: 'admin-app-versions',
    query,
    read: (after, limit) =>
      db.read(who, (tx) =>
        listAllVersions(
          tx,
          { lifecycle: query.lifecycle_state, trust: query.trust_state, organizationId: query.organization_id },
          after,
          limit,
        ),
      ),
    keyOf: ({ id }) => id,
    show: (row) => showVersion(region, row),
  }),
);

const revoke = on(adminAppVersionRevoke, ({ db, region, affectedBy }, act, { params, body }) =>
  db.write(act, async (tx) => {
    const before = await findVersion(tx, params.app_version_id);
    if (!before) return tx.abandon(new Fault('app_version_not_found', 'There is no such object.'));
    const moved = await revokeTrust(tx, before.id, body.reason, body.effect);
    if (moved instanceof Fault) {
      // Nobody said which version they saw, so none can be in the way.
      if (moved.code === 'version_conflict') throw moved;
      return tx.abandon(moved as Fault<'illegal_transition'>);
    }
    const [row, app] = [await findVersion(tx, before.id), await findApp(tx, before.app_id)];
    if (!row || !app) throw new Error('a version that was revoked is not there');
    const affected = (await affectedBy(tx, row.id)).slice(0, mostAffected);
    return tx.commit(
      {
        version: showVersion(region, row),
        affected: affected.map(({ organizationId, projectId, instanceId }) => ({
          ...{ organization_id: organizationId, project_id: projectId, app_instance_id: instanceId },
        })),
      },
      {
        target: { type: 'app_version', id: row.id },
        change: {
          ...{ app_id: row.app_id, image_digest: row.image_digest, trust_state: [before.trust, row.trust] },
          ...{ effect: body.effect, reason: body.reason, affected: affected.length },
        },
        organizationId: row.organization_id,
        projectId: row.project_id,
        events: [appArtifactRevoked.of(row.app_id, { ...artifactOf(row, app), effect: body.effect })],
      },
    );
  }),
);

export const adminVersionRoutes = (parts: AppParts): Mounted[] => [list, revoke].map((bind) => bind(parts));
