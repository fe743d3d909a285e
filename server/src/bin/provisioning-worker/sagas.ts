import {
  type LifeParts,
  makeAttest,
  makeProvision,
  makeRestart,
  makeVacate,
  makeVacateAndReimage,
} from '../../domains/allocations/index.ts';
import {
  type MaasSagaParts,
  makeMaasCommission,
  makeMaasDecommission,
  makeMaasOnboard,
  makeMaasPower,
  makeMaasReimage,
} from '../../domains/maas/index.ts';
import {
  type AskReimage,
  makeDrain,
  makeOnboard,
  makeReimage,
  makeRemove,
  type NodeSagaParts,
} from '../../domains/nodes/index.ts';
import { makeRemoveProject } from '../../domains/tenancy/index.ts';

/** Every saga there is, over its parts. The page about them and the worker that runs them read the same list. */
export const makeSagas = (
  parts: LifeParts &
    NodeSagaParts &
    Parameters<typeof makeRemoveProject>[0] & { readonly askReimage: AskReimage; readonly machines: MaasSagaParts },
) => ({
  provision: makeProvision(parts),
  vacate: makeVacate(parts),
  vacateAndReimage: makeVacateAndReimage(parts, parts.askReimage),
  restart: makeRestart(parts),
  attest: makeAttest(parts),
  onboardNode: makeOnboard(parts),
  drainNode: makeDrain(parts),
  removeNode: makeRemove(parts),
  reimageNode: makeReimage(parts, parts.askReimage),
  removeProject: makeRemoveProject(parts),
  onboardMachine: makeMaasOnboard(parts.machines),
  reimageMachine: makeMaasReimage(parts.machines),
  decommissionMachine: makeMaasDecommission(parts.machines),
  commissionMachine: makeMaasCommission(parts.machines),
  powerOnMachine: makeMaasPower(parts.machines, 'on'),
  powerOffMachine: makeMaasPower(parts.machines, 'off'),
});
