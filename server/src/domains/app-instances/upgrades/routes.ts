import { type AppManifest, appInstanceRollback, appInstanceUpgrade, takeParameters } from '@gpuaas/contract';
import { handlers, type Mounted } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import { findLaunchable } from '../../apps/index.ts';
import { holdToChange } from '../may-launch.ts';
import type { InstanceParts } from '../parts.ts';
import { showInstance } from '../show.ts';
import { findInstance, type InstanceRow } from '../store.ts';
import { otherCurrency } from '../use/payer-currency.ts';
import { beginMove, findPreviousVersion } from './move-to-version.ts';

const on = handlers<InstanceParts>();
const isChanging = (row: InstanceRow) =>
  new Fault('app_instance_changing', `It is being moved to ${row.app_version}. Wait, or roll it back.`);

/** What was chosen before stays, as far as the new manifest knows it; what is given now comes first. */
function mergeParameters(manifest: AppManifest, old: InstanceRow['parameters'], given: InstanceRow['parameters']) {
  const known = manifest.parameters?.properties ?? {};
  const kept = Object.entries(old).filter(([name]) => Object.hasOwn(known, name));
  return takeParameters(manifest.parameters, { ...Object.fromEntries(kept), ...given });
}

const upgrade = on(appInstanceUpgrade, async (parts, act, { params, body }) =>
  parts.db.write(act, async (tx) => {
    const row = await holdToChange(tx, params.app_instance_id, act);
    if (row instanceof Fault) return tx.abandon(row);
    if (row.version_change !== null) return tx.abandon(isChanging(row));
    const of = { organizationId: row.organization_id, projectId: row.project_id };
    const version = await findLaunchable(tx, of, { reference: row.app_reference, version: body.version });
    if (!version) {
      return tx.abandon(
        new Fault('app_version_not_found', `There is no ${row.app_reference} ${body.version} for this project.`),
      );
    }
    if (!version.upgrade.allowed) return tx.abandon(new Fault('app_not_launchable', version.upgrade.reason));
    const unpayable = await otherCurrency(tx, row.organization_id, version.manifest);
    if (unpayable) return tx.abandon(unpayable);
    const taken = mergeParameters(version.manifest, row.parameters, body.parameters ?? {});
    if ('problems' in taken) {
      const [first] = taken.problems;
      return tx.abandon(
        new Fault('app_parameters_invalid', `${first?.field} ${first?.message}.`, { problems: taken.problems }),
      );
    }
    const move = { version, parameters: taken.values, correlationId: act.correlationId, kind: 'upgrade' as const };
    const begun = await beginMove(tx, parts, row, move);
    if (begun instanceof Fault) return tx.abandon(begun);
    const now = (await findInstance(tx, row.id)) ?? row;
    return tx.commit(showInstance(now, parts.place), {
      target: { type: 'app_instance', id: row.id },
      change: { app_version: [row.app_version, version.version], image_digest: version.imageDigest },
      events: begun.events,
    });
  }),
);

const rollback = on(appInstanceRollback, async (parts, act, { params }) =>
  parts.db.write(act, async (tx) => {
    const row = await holdToChange(tx, params.app_instance_id, act);
    if (row instanceof Fault) return tx.abandon(row);
    if (row.version_change === 'returning') return tx.abandon(isChanging(row));
    const target = await findPreviousVersion(tx, row);
    if (!target) {
      return tx.abandon(new Fault('app_no_previous_version', 'It has no version of before that you may still use.'));
    }
    if (!target.version.launch.allowed) {
      return tx.abandon(new Fault('app_not_launchable', target.version.launch.reason));
    }
    const begun = await beginMove(tx, parts, row, {
      ...{ ...target, correlationId: act.correlationId, kind: 'rollback' as const },
    });
    if (begun instanceof Fault) return tx.abandon(begun);
    const now = (await findInstance(tx, row.id)) ?? row;
    return tx.commit(showInstance(now, parts.place), {
      target: { type: 'app_instance', id: row.id },
      change: { app_version: [row.app_version, target.version.version], image_digest: target.version.imageDigest },
      events: begun.events,
    });
  }),
);

export const upgradeRoutes = (parts: InstanceParts): Mounted[] => [upgrade, rollback].map((bind) => bind(parts));
