import { createHash } from 'node:crypto';
import {
  type AppManifest,
  appArtifactPublished,
  appVersionGet,
  appVersionList,
  appVersionPublish,
  partsOfImage,
} from '@gpuaas/contract';
import { checkManifest } from '@gpuaas/contract/apps';
import { canonicalJson } from '@gpuaas/contract/node';
import { handlers, type Mounted } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import { readPage } from '../../../kernel/page.ts';
import type { AppParts } from '../parts.ts';
import { type AppRow, findApp, referenceOf } from '../store.ts';
import { verificationChannel } from '../verification/channel.ts';
import {
  findVersion,
  holdAndCountVersions,
  insertVersion,
  listVersions,
  showVersion,
  type VersionRow,
} from './store.ts';

const on = handlers<AppParts>();
const absent = () => new Fault('app_version_not_found', 'There is no such object.');

/** What every event about a version says. */
export const artifactOf = (row: VersionRow, app: Pick<AppRow, 'visibility'>) => ({
  app_id: row.app_id,
  app_version_id: row.id,
  organization_id: row.organization_id,
  project_id: row.project_id,
  app_reference: referenceOf(row),
  app_version: row.number,
  image_digest: row.image_digest,
  visibility: app.visibility,
  channel: row.channel,
});

/** The fault of a manifest that is no good for this app. */
function manifestFault(manifest: AppManifest, app: AppRow): Fault<'app_manifest_invalid'> | undefined {
  const checked = checkManifest(manifest);
  const problems = 'problems' in checked ? [...checked.problems] : [];
  if (manifest.metadata.slug !== app.slug) {
    problems.push({ field: 'metadata.slug', message: `is not the slug of this app, ${app.slug}` });
  }
  const [first] = problems;
  return first === undefined
    ? undefined
    : new Fault('app_manifest_invalid', `The manifest is not valid: ${first.field} ${first.message}.`, {
        fields: problems,
      });
}
const digestOf = (manifest: AppManifest): string =>
  `sha256:${createHash('sha256').update(canonicalJson(manifest)).digest('hex')}`;

const publish = on(appVersionPublish, ({ db, ids, region, policy }, act, { params, body: { manifest } }) =>
  db.write(act, async (tx) => {
    const app = await findApp(tx, params.app_id);
    if (!app) return tx.abandon(new Fault('app_not_found', 'There is no such object.'));
    const fault = manifestFault(manifest, app);
    if (fault) return tx.abandon(fault);
    const most = policy('apps.max_versions_per_app', act);
    if ((await holdAndCountVersions(tx, app.id)) >= most) {
      return tx.abandon(new Fault('app_limit_reached', `An app may have ${most} versions.`));
    }
    const id = ids.next();
    const { repository, digest } = partsOfImage(manifest.runtime.image);
    const made = {
      ...{ id, organizationId: app.organization_id, appId: app.id, manifest, manifestDigest: digestOf(manifest) },
      ...{ imageRepository: repository, imageDigest: digest },
    };
    if (!(await insertVersion(tx, made))) {
      return tx.abandon(
        new Fault(
          'app_version_exists',
          `The app has a version ${manifest.metadata.version} already, and a version never changes: publish another number.`,
        ),
      );
    }
    const row = await findVersion(tx, id);
    if (!row) throw new Error('a version was not stored');
    tx.wake(verificationChannel, row.id);
    return tx.commit(showVersion(region, row), {
      target: { type: 'app_version', id },
      change: { app_id: app.id, version: row.number, image_digest: digest, manifest_digest: row.manifest_digest },
      events: [appArtifactPublished.of(app.id, artifactOf(row, app))],
    });
  }),
);

const list = on(appVersionList, ({ db, region }, who, { params, query }) =>
  readPage({
    name: 'app-versions',
    query,
    read: (after, limit) =>
      db.read(who, (tx) =>
        listVersions(
          tx,
          {
            ...{ organizationId: who.organizationId, appId: params.app_id },
            ...{ lifecycle: query.lifecycle_state, trust: query.trust_state },
          },
          after,
          limit,
        ),
      ),
    keyOf: ({ id }) => id,
    show: (row) => showVersion(region, row),
  }),
);

const get = on(appVersionGet, async ({ db, region }, who, { params }) => {
  const row = await db.read(who, (tx) => findVersion(tx, params.app_version_id));
  return row ? showVersion(region, row) : absent();
});

export const versionRoutes = (parts: AppParts): Mounted[] => [publish, list, get].map((bind) => bind(parts));
