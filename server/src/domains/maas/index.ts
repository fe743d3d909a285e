import type { Mounted } from '../../kernel/act.ts';
import { type MachineParts, machineRoutes } from './machines-routes.ts';
import { type SiteParts, siteRoutes } from './sites-routes.ts';

export { sealedMaasKeys } from './keys-store.ts';
export { showMaas } from './metrics.ts';
export { makeAskReimage } from './reimaging.ts';
export { makeMaasCommission, makeMaasPower } from './sagas/commission-and-power.ts';
export { makeMaasDecommission } from './sagas/decommission.ts';
export { makeMaasOnboard } from './sagas/onboard.ts';
export type { MaasSagaParts } from './sagas/parts.ts';
export { makeMaasReimage } from './sagas/reimage.ts';
export { maasChannel } from './watch/channel.ts';
export { type MaasSagas, makeMaasJobs } from './watch/jobs.ts';
export { makeMaasWatch } from './watch/watch.ts';

/** What operators do with machines of MAAS. */
export const maasRoutes = (parts: SiteParts & MachineParts): Mounted[] => [
  ...siteRoutes(parts),
  ...machineRoutes(parts),
];
