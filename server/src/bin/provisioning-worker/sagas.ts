import {
  type LifeParts,
  makeAttest,
  makeProvision,
  makeRestart,
  makeVacate,
  makeVacateAndReimage,
} from '../../domains/allocations/index.ts';
import { makeDrain, makeOnboard, makeReimage, makeRemove, type NodeSagaParts } from '../../domains/nodes/index.ts';
import { makeRemoveProject } from '../../domains/tenancy/index.ts';

/** Every saga there is, over its parts. The page about them and the worker that runs them read the same list. */
export const makeSagas = (parts: LifeParts & NodeSagaParts & Parameters<typeof makeRemoveProject>[0]) => ({
  provision: makeProvision(parts),
  vacate: makeVacate(parts),
  vacateAndReimage: makeVacateAndReimage(parts),
  restart: makeRestart(parts),
  attest: makeAttest(parts),
  onboardNode: makeOnboard(parts),
  drainNode: makeDrain(parts),
  removeNode: makeRemove(parts),
  reimageNode: makeReimage(parts),
  removeProject: makeRemoveProject(parts),
});
