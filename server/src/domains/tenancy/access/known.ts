import type { TenantRole } from '@gpuaas/contract';
import { makeFresh } from '../../../kernel/access/fresh.ts';
import { type Database, type ReadTx, systemViewer } from '../../../kernel/act.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Ids } from '../../../kernel/id.ts';
import { freshMs, maxKnown } from '../facts.ts';
import { findRoles } from '../members-store.ts';
import { findProjectOwner, organizationExists } from '../store.ts';
import { higher } from './roles.ts';

/** Roles and owners that every request asks for, kept for a few seconds and forgotten at once after a change. */
export function makeKnownTenants({
  db,
  ids,
  clock,
}: {
  readonly db: Database;
  readonly ids: Ids;
  readonly clock: Clock;
}) {
  const fresh = { clock, ttlMs: freshMs, max: maxKnown };
  const roles = makeFresh<string, TenantRole | undefined>(fresh);
  const organizations = makeFresh<string, boolean>(fresh);
  const projects = makeFresh<string, string | undefined>(fresh);
  // Whose something is must be found before anyone's walls can be put up, so the look-up itself sees over them.
  const look = <T>(work: (tx: ReadTx) => Promise<T>) =>
    db.read(systemViewer('tenancy', { correlationId: ids.next() }), work);
  return {
    look,
    /** The role of a person in an organization; in a project of it, the higher of the two roles. */
    role: (personId: string, organizationId: string, projectId: string | undefined) =>
      roles.get(`${personId} ${organizationId} ${projectId ?? ''}`, async () => {
        const found = await look((tx) => findRoles(tx, personId, organizationId, projectId));
        return found && higher(found.role, found.project_role);
      }),
    hasOrganization: (id: string) =>
      organizations.get(id, async () => (await look((tx) => organizationExists(tx, id))) !== undefined),
    /** The organization of a project. */
    ownerOfProject: (id: string) =>
      projects.get(id, async () => (await look((tx) => findProjectOwner(tx, id)))?.organization_id),
    forget() {
      roles.forget();
      organizations.forget();
      projects.forget();
    },
  };
}
