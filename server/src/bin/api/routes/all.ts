import type { Mounted } from '../../../kernel/act.ts';
import { capacityRoutes } from './capacity.ts';
import { installationRoutes } from './installation.ts';
import { messageRoutes } from './messages.ts';
import { moneyRoutes } from './money.ts';
import { oversightRoutes } from './oversight.ts';
import type { RouteParts } from './parts.ts';
import { peopleRoutes } from './people.ts';
import { openStreamRoutes } from './streams.ts';

/** Every route of the api. The routes of a new domain go into the family that they belong to. */
export async function openRoutes(parts: RouteParts): Promise<readonly Mounted[]> {
  const families = [
    installationRoutes,
    peopleRoutes,
    capacityRoutes,
    moneyRoutes,
    messageRoutes,
    oversightRoutes,
  ] as const;
  return [...families.flatMap((family) => family(parts)), ...(await openStreamRoutes(parts))];
}
