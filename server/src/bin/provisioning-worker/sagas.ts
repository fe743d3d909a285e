import {
  makeAttest,
  makeProvision,
  makeRestart,
  makeVacate,
  makeVacateAndReimage,
  type SagaParts,
} from '../../domains/allocations/index.ts';
import { makeRemoveProject } from '../../domains/tenancy/index.ts';

/** Every saga there is, over its parts. The page about them and the worker that runs them read the same list. */
export const makeSagas = (parts: SagaParts & Parameters<typeof makeRemoveProject>[0]) => ({
  provision: makeProvision(parts),
  vacate: makeVacate(parts),
  vacateAndReimage: makeVacateAndReimage(parts),
  restart: makeRestart(parts),
  attest: makeAttest(parts),
  removeProject: makeRemoveProject(parts),
});
