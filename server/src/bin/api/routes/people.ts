import { sshRoutes } from '../../../domains/ssh/index.ts';
import type { Mounted } from '../../../kernel/act.ts';
import type { RouteParts } from './parts.ts';

/** People, organizations and projects, and what they sign in with. */
export const peopleRoutes = (parts: RouteParts): readonly Mounted[] => {
  const { db, ids, policies, settings } = parts;
  return [
    ...parts.tenancy.routes,
    ...parts.identities.routes,
    ...parts.serviceAccounts.routes,
    ...sshRoutes({ db, ids, region: settings.region, policies }),
  ];
};
