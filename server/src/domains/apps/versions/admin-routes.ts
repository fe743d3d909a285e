import {
  adminAppVersionAffected,
  adminAppVersionList,
  adminAppVersionRevoke,
  appArtifactRevoked,
} from '@gpuaas/contract';
import { handlers, type Mounted } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import { readPage } from '../../../kernel/page.ts';
import { mostAffected } from '../facts.ts';
import type { AffectedInstance, AppParts } from '../parts.ts';
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

const showAffected = (affected: readonly AffectedInstance[]) =>
  affected.slice(0, mostAffected).map(({ organizationId, projectId, instanceId }) => ({
    ...{ organization_id: organizationId, project_id: projectId, app_instance_id: instanceId },
  }));

const affected = on(adminAppVersionAffected, ({ db, affectedBy }, who, { params }) =>
  db.read(who, async (tx) => {
    const row = await findVersion(tx, params.app_version_id);
    if (!row) return new Fault('app_version_not_found', 'There is no such object.');
    const running = await affectedBy(tx, row.id);
    return {
      instances: running.length,
      organizations: new Set(running.map(({ organizationId }) => organizationId)).size,
      projects: new Set(running.map(({ projectId }) => projectId)).size,
      affected: showAffected(running),
    };
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
    const running = await affectedBy(tx, row.id);
    return tx.commit(
      {
        version: showVersion(region, row),
        affected: showAffected(running),
      },
      {
        target: { type: 'app_version', id: row.id },
        change: {
          ...{ app_id: row.app_id, image_digest: row.image_digest, trust_state: [before.trust, row.trust] },
          ...{ effect: body.effect, reason: body.reason, affected: running.length },
        },
        organizationId: row.organization_id,
        projectId: row.project_id,
        events: [appArtifactRevoked.of(row.app_id, { ...artifactOf(row, app), effect: body.effect })],
      },
    );
  }),
);

export const adminVersionRoutes = (parts: AppParts): Mounted[] => [list, affected, revoke].map((bind) => bind(parts));
