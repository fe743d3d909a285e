import type { ErrorCode, TenantRole } from '@gpuaas/contract';
import { type Database, type Mounted, type ReadTx, systemViewer } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import { makeFresh } from '../../kernel/fresh.ts';
import type { Ids } from '../../kernel/id.ts';
import * as organizations from './organizations.ts';
import * as projects from './projects.ts';
import { makeRemoveProject, type Resident } from './sagas/remove-project.ts';
import { findProjectOwner, findRole, organizationExists } from './store.ts';

/** Tenancy: organizations, who belongs to them, and the projects that own everything else. */
export interface Tenancy {
  readonly routes: readonly Mounted[];
  /** The role of a person in an organization, or nothing. A change is seen everywhere within five seconds. */
  role(personId: string, organizationId: string): Promise<TenantRole | undefined>;
  readonly owners: Readonly<Record<'organization_id' | 'project_id', Owner>>;
}
interface Owner {
  readonly absent: ErrorCode;
  find(id: string): Promise<{ readonly organizationId: string; readonly projectId: string | undefined } | undefined>;
}

const freshMs = 5_000;
const maxKnown = 20_000;

export function makeTenancy(parts: {
  readonly db: Database;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly region: string;
}): Tenancy {
  const { db, ids } = parts;
  const fresh = { clock: parts.clock, ttlMs: freshMs, max: maxKnown };
  const roles = makeFresh<string, TenantRole | undefined>(fresh);
  const organizationsKnown = makeFresh<string, boolean>(fresh);
  const projectsKnown = makeFresh<string, string | undefined>(fresh);
  // Whose something is must be found before anyone's walls can be put up, so the look-up itself sees over them.
  const look = <T>(work: (tx: ReadTx) => Promise<T>) =>
    db.read(systemViewer('tenancy', { correlationId: ids.next() }), work);

  return {
    routes: [
      ...[organizations.create, organizations.list, organizations.get, organizations.update].map((bind) => bind(parts)),
      ...[
        projects.create,
        projects.list,
        projects.get,
        projects.update,
        projects.archive,
        projects.restore,
        projects.remove,
      ].map((bind) => bind(parts)),
    ],
    role: (personId, organizationId) =>
      roles.get(
        `${personId} ${organizationId}`,
        async () => (await look((tx) => findRole(tx, personId, organizationId)))?.role,
      ),
    owners: {
      organization_id: {
        absent: 'organization_not_found',
        find: async (id) =>
          (await organizationsKnown.get(id, async () => (await look((tx) => organizationExists(tx, id))) !== undefined))
            ? { organizationId: id, projectId: undefined }
            : undefined,
      },
      project_id: {
        absent: 'project_not_found',
        find: async (id) => {
          const owner = await projectsKnown.get(
            id,
            async () => (await look((tx) => findProjectOwner(tx, id)))?.organization_id,
          );
          return owner ? { organizationId: owner, projectId: id } : undefined;
        },
      },
    },
  };
}

export { makeRemoveProject, type Resident };
