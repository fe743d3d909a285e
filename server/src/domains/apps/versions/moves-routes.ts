import {
  appArtifactDeprecated,
  appArtifactPromoted,
  appArtifactRetired,
  appVersionDeprecate,
  appVersionPromote,
  appVersionRetire,
  appVersionVerify,
  channelAfter,
} from '@gpuaas/contract';
import { type Act, handlers, type Mounted, type WriteTx } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { AppParts } from '../parts.ts';
import { findApp } from '../store.ts';
import { verificationChannel } from '../verification/channel.ts';
import { askVerification } from '../verification/store.ts';
import { advanceVersion } from './machine.ts';
import { artifactOf } from './routes.ts';
import { findVersion, holdVersion, moveToChannel, showVersion, type VersionRow } from './store.ts';

const on = handlers<AppParts>();
const absent = () => new Fault('app_version_not_found', 'There is no such object.');
const changed = (row: VersionRow, seen: number) =>
  new Fault('version_conflict', `It was changed in the meantime: you saw revision ${seen}, it is at ${row.version}.`, {
    version: Number(row.version),
  });
const untrusted = (row: VersionRow) =>
  new Fault(
    'app_version_untrusted',
    `The version is ${row.trust}, and prod takes verified versions only. Its evidence says what is missing.`,
    { trust_state: row.trust },
  );

/** Each channel but the last is a place on the way and no state; the step into prod is a promotion. */
async function promoteOne(tx: WriteTx, row: VersionRow, revision: number | undefined) {
  const next = channelAfter(row.channel);
  if (row.lifecycle !== 'published' || next === 'prod') {
    if (row.trust !== 'verified') return untrusted(row);
    return advanceVersion(tx, row.id, 'promote', { revision, ...(next && { channel: next }) });
  }
  if (revision !== undefined && revision !== Number(row.version)) return changed(row, revision);
  await moveToChannel(tx, row.id, next ?? row.channel);
  return { from: row.channel, to: next ?? row.channel };
}

const promote = on(appVersionPromote, ({ db, region }, act, { params, body }) =>
  db.write(act, async (tx) => {
    await holdVersion(tx, params.app_version_id);
    const before = await findVersion(tx, params.app_version_id);
    if (!before) return tx.abandon(absent());
    const moved = await promoteOne(tx, before, body.revision);
    if (moved instanceof Fault) return tx.abandon(moved);
    const row = await findVersion(tx, before.id);
    const app = row && (await findApp(tx, row.app_id));
    if (!row || !app) throw new Error('a version that was promoted is not there');
    return tx.commit(showVersion(region, row), {
      target: { type: 'app_version', id: row.id },
      change: {
        ...{ app_id: row.app_id, image_digest: row.image_digest, trust_state: row.trust },
        ...{ channel: [before.channel, row.channel], lifecycle_state: [before.lifecycle, row.lifecycle] },
      },
      events: [appArtifactPromoted.of(row.app_id, artifactOf(row, app))],
    });
  }),
);

const settle = (
  { db, region }: AppParts,
  act: Act,
  { id, revision }: { readonly id: string; readonly revision: number | undefined },
  transition: 'deprecate' | 'retire',
) =>
  db.write(act, async (tx) => {
    const moved = await advanceVersion(tx, id, transition, { revision });
    if (moved instanceof Fault) return tx.abandon(moved);
    const row = moved && (await findVersion(tx, id));
    const app = row && (await findApp(tx, row.app_id));
    if (!moved || !row || !app) return tx.abandon(absent());
    const kind = transition === 'retire' ? appArtifactRetired : appArtifactDeprecated;
    return tx.commit(showVersion(region, row), {
      target: { type: 'app_version', id },
      change: { app_id: row.app_id, image_digest: row.image_digest, lifecycle_state: [moved.from, moved.to] },
      events: [kind.of(row.app_id, artifactOf(row, app))],
    });
  });
const deprecate = on(appVersionDeprecate, (parts, act, { params, body }) =>
  settle(parts, act, { id: params.app_version_id, revision: body.revision }, 'deprecate'),
);
const retire = on(appVersionRetire, (parts, act, { params, body }) =>
  settle(parts, act, { id: params.app_version_id, revision: body.revision }, 'retire'),
);

const verify = on(appVersionVerify, ({ db, region }, act, { params }) =>
  db.write(act, async (tx) => {
    await holdVersion(tx, params.app_version_id);
    const before = await findVersion(tx, params.app_version_id);
    if (!before) return tx.abandon(absent());
    if (before.lifecycle === 'retired' || before.trust === 'verified' || before.trust === 'revoked') {
      const why = `The version is ${before.lifecycle} and ${before.trust}: there is nothing to verify.`;
      return tx.abandon(new Fault('illegal_transition', why));
    }
    await askVerification(tx, before.id);
    const row = await findVersion(tx, before.id);
    if (!row) throw new Error('a version that is to be verified is not there');
    tx.wake(verificationChannel, row.id);
    return tx.commit(showVersion(region, row), {
      target: { type: 'app_version', id: row.id },
      change: { app_id: row.app_id, image_digest: row.image_digest, trust_state: row.trust },
      events: 'none',
    });
  }),
);

export const moveRoutes = (parts: AppParts): Mounted[] =>
  [promote, deprecate, retire, verify].map((bind) => bind(parts));
