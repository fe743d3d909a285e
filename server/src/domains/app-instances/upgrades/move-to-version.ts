import { appInstanceRolledBack, appInstanceUpgrading, type DeclaredEvent } from '@gpuaas/contract';
import type { WriteTx } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import { findLaunchable, type Launchable } from '../../apps/index.ts';
import { instanceOf } from '../announce.ts';
import { giveUp } from '../become.ts';
import { askStop, checkOrder, launch } from '../launch.ts';
import { moveTo } from '../machine.ts';
import type { InstanceParts } from '../parts.ts';
import { putRoutes } from '../routing.ts';
import { findInstance, type InstanceRow, insertMoment } from '../store.ts';
import { changeVersion, endVersionChange, findPrevious } from './store.ts';

interface About {
  readonly correlationId: string;
}
interface Target {
  readonly version: Launchable;
  readonly parameters: InstanceRow['parameters'];
}
type Done = { readonly events: readonly DeclaredEvent[] };

/**
 * Begins a move to another version: the container of before ends, and once its host has confirmed that, the guard launches the other one. Volumes
 * stay. Two containers never want the same volumes.
 */
export async function beginMove(
  tx: WriteTx,
  parts: InstanceParts,
  row: InstanceRow,
  move: Target & About & { readonly kind: 'upgrade' | 'rollback' },
) {
  const refused = await checkOrder(tx, parts, { ...row, parameters: move.parameters }, move);
  if (refused) return refused;
  if (row.state !== 'stopped' && row.state !== 'stopping') {
    const asked = { tx, parts, row, correlationId: move.correlationId };
    if (row.state !== 'failed') {
      const moved = await moveTo(tx, row, 'stop', { ids: parts.ids, correlationId: move.correlationId });
      if (moved instanceof Fault) return moved;
    }
    if (row.workload_id !== row.gone_workload_id) await askStop(asked, { removesVolumes: false });
  }
  // What was up to now broken is nothing to come back to.
  const comesBack = move.kind === 'upgrade' && row.state !== 'failed';
  await putVersion(tx, parts, row, {
    ...move,
    ...{ change: comesBack ? 'upgrading' : 'returning', keepsPrevious: move.kind === 'upgrade' },
    moment: move.kind === 'upgrade' ? 'upgrade' : 'roll_back',
  });
  const now = (await findInstance(tx, row.id)) ?? row;
  const about = { ...instanceOf(now, Number(now.version)), from_version: row.app_version };
  return {
    events: [
      move.kind === 'upgrade'
        ? appInstanceUpgrading.of(row.id, about)
        : appInstanceRolledBack.of(row.id, { ...about, reason: 'user' }),
    ],
  };
}

async function putVersion(
  tx: WriteTx,
  parts: InstanceParts,
  row: InstanceRow,
  to: Target &
    About & {
      readonly change: InstanceRow['version_change'];
      readonly keepsPrevious: boolean;
      readonly moment: 'upgrade' | 'roll_back';
      readonly detail?: object;
    },
): Promise<void> {
  const { version, parameters, change, keepsPrevious } = to;
  await changeVersion(tx, row.id, {
    ...{ versionId: version.versionId, version: version.version },
    ...{ parameters, change, keepsPrevious },
  });
  await putRoutes(tx, row, version.manifest, parts.ids);
  await insertMoment(tx, {
    ...{ id: parts.ids.next(), organizationId: row.organization_id, instanceId: row.id, name: to.moment },
    detail: {
      ...{ from_version: row.app_version, to_version: version.version, image_digest: version.imageDigest },
      ...to.detail,
    },
    correlationId: to.correlationId,
  });
}

/** The version of before, where it still exists for the project. */
export async function findPreviousVersion(tx: WriteTx, row: InstanceRow): Promise<Target | undefined> {
  const previous = await findPrevious(tx, row.id);
  if (!previous?.previous_version_id) return undefined;
  const version = await findLaunchable(
    tx,
    { organizationId: row.organization_id, projectId: row.project_id },
    { versionId: previous.previous_version_id },
  );
  return version && { version, parameters: previous.previous_parameters ?? {} };
}

/** The old container is gone: the version that was chosen is launched. One that may not be launched any more is not left half chosen. */
export async function continueMove(
  tx: WriteTx,
  parts: InstanceParts,
  row: InstanceRow,
  about: About,
): Promise<Done | undefined> {
  const launched = await launch(tx, parts, row, { ...about, isAskedAnew: true });
  if (!(launched instanceof Fault)) return launched;
  if (launched.code === 'illegal_transition') return undefined;
  if (row.version_change === 'upgrading') {
    return rollBack(tx, parts, row, { ...about, why: { code: launched.code, reason: launched.message } });
  }
  return abandonMove(tx, parts, row, { ...about, why: { code: launched.code, reason: launched.message } });
}

/** The new version did not become ready, and nothing of it is left: the old one is launched, with the parameters that it had. */
export async function rollBack(
  tx: WriteTx,
  parts: InstanceParts,
  row: InstanceRow,
  about: About & { readonly why: { readonly code: string; readonly reason: string } },
): Promise<Done | undefined> {
  const target = await findPreviousVersion(tx, row);
  if (!target?.version.keepsRunning) {
    const reason = 'The new version did not become ready, and the trust in the one of before was revoked.';
    return abandonMove(tx, parts, row, { ...about, why: { code: 'app_not_launchable', reason } });
  }
  const detail = { failure: about.why };
  await putVersion(tx, parts, row, {
    ...{ ...target, change: null, keepsPrevious: false, moment: 'roll_back', detail },
    correlationId: about.correlationId,
  });
  const now = (await findInstance(tx, row.id)) ?? row;
  const rolledBack = appInstanceRolledBack.of(row.id, {
    ...{ ...instanceOf(now, Number(now.version)), from_version: row.app_version, reason: 'not_ready' as const },
  });
  const launched = await launch(tx, parts, now, { ...about, isAskedAnew: true, mayReturn: true });
  if (!(launched instanceof Fault)) return { events: [rolledBack, ...launched.events] };
  await giveUp(tx, { ids: parts.ids, correlationId: about.correlationId }, now, {
    code: launched.code,
    reason: launched.message,
  });
  return { events: [rolledBack] };
}

async function abandonMove(
  tx: WriteTx,
  parts: InstanceParts,
  row: InstanceRow,
  about: About & { readonly why: { readonly code: string; readonly reason: string } },
): Promise<undefined> {
  await endVersionChange(tx, row.id);
  await giveUp(tx, { ids: parts.ids, correlationId: about.correlationId }, row, about.why);
}
