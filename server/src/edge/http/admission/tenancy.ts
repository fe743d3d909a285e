import {
  type ErrorCode,
  type PlatformRole,
  platformRoles,
  type Route,
  type Scope,
  selfScopes,
  type TenantRole,
  tenantRoles,
} from '@gpuaas/contract';
import type { Viewer } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Identity } from './authentication.ts';

/** A known caller, and their platform roles. */
export interface Person {
  readonly id: string;
  readonly kind: Identity['kind'];
  readonly platformRoles: readonly PlatformRole[];
  /** A service account has no roles: it has these scopes in these projects and sees nothing else. */
  readonly bounds?: Bounds;
}
export interface Bounds {
  readonly organizationId: string;
  readonly projectIds: readonly string[];
  /** Whether it sees objects of the organization that belong to no project. */
  readonly seesOrganization: boolean;
  readonly scopes: readonly Scope[];
}
export interface Owned {
  readonly organizationId: string;
  readonly projectId: string | undefined;
}
/** Finds the tenant of an object; undefined for an absent one. */
export type FindOwner = (id: string) => Promise<Owned | undefined>;

export interface Tenants {
  /** The role in the organization, or in one of its projects when the request is about one. */
  role(personId: string, organizationId: string, projectId?: string): Promise<TenantRole | undefined>;
  /** By path parameter: `project_id`, later `allocation_id` and so on. */
  readonly owners: Readonly<Record<string, { readonly absent: ErrorCode; readonly find: FindOwner }>>;
}
/** What a token leaves of the roles; undefined when it leaves everything. */
type Narrowed = ReadonlySet<string> | undefined;
export type Standing = Pick<Viewer, 'reach' | 'organizationId' | 'projectId' | 'projectIds' | 'actorRole'>;

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * Decides the tenant of a request before any handler runs. Objects of a tenant that the caller does not belong to do
 * not exist for the caller: the answer is byte for byte the one for an absent object.
 */
export function makeScoping(route: Route, tenants: Tenants, newId: () => string) {
  const { tenancy, auth } = route;
  const pathParam = tenancy.kind === 'path' || tenancy.kind === 'owner-of' ? tenancy.param : undefined;
  const owner = ownerFor(route, pathParam ?? (tenancy.kind === 'header' ? 'project_id' : undefined), tenants);

  /** People have the role of their membership; a service account is a member within its bounds. */
  const roleIn = async ({ id, bounds }: Person, owned: Owned): Promise<TenantRole | undefined> => {
    if (!bounds) return tenants.role(id, owned.organizationId, owned.projectId);
    const isInside = owned.projectId ? bounds.projectIds.includes(owned.projectId) : bounds.seesOrganization;
    return bounds.organizationId === owned.organizationId && isInside ? 'member' : undefined;
  };

  return async (
    person: Person,
    scopes: Narrowed,
    request: { params: Readonly<Record<string, string>>; projectHeader: string | undefined },
  ): Promise<Standing | Fault> => {
    if (auth.kind === 'admin') return asOperator(person, scopes, auth.scope);
    const wanted = auth.kind === 'user' ? auth.scope : undefined;
    if (tenancy.kind === 'none') {
      // Without a tenant no role can be asked, but a token gives no more than its own scopes.
      if (wanted && !permitted(person.bounds?.scopes ?? [wanted], scopes, wanted)) return lacking(wanted);
      return { reach: 'self', organizationId: undefined, projectId: undefined, actorRole: 'none' };
    }
    if (!owner) {
      if (wanted && !permitted(person.bounds?.scopes ?? selfScopes, scopes, wanted)) return lacking(wanted);
      return tenancy.kind === 'founds'
        ? { reach: 'organization', organizationId: newId(), projectId: undefined, actorRole: 'owner' }
        : { reach: 'self', organizationId: undefined, projectId: undefined, actorRole: 'none' };
    }
    const id = pathParam ? request.params[pathParam] : request.projectHeader;
    if (id === undefined) {
      return new Fault('project_required', 'Name the project: send its id as X-Project-ID.');
    }
    if (!uuid.test(id)) {
      const field = pathParam ?? 'X-Project-ID';
      return new Fault('validation_error', `The request is not valid: ${field} is not an id.`, {
        fields: [{ in: pathParam ? 'path' : 'header', field, message: 'is not an id' }],
      });
    }
    const owned = await owner.find(id);
    const role = owned && (await roleIn(person, owned));
    if (!owned || !role) return new Fault(owner.absent, 'There is no such object.');
    if (
      pathParam &&
      request.projectHeader !== undefined &&
      owned.projectId &&
      request.projectHeader !== owned.projectId
    ) {
      return new Fault(
        'project_mismatch',
        'X-Project-ID names another project than the path. Leave it out, or make them agree.',
      );
    }
    const held = person.bounds?.scopes ?? tenantRoles[role];
    if (wanted && !permitted(held, scopes, wanted)) return lacking(wanted, role);
    return {
      reach: 'organization',
      organizationId: owned.organizationId,
      projectId: owned.projectId,
      ...(person.bounds && { projectIds: person.bounds.projectIds }),
      actorRole: role,
    };
  };
}

/** Who says whose the named object is; undefined for a route that names none. Without an answer the server does not start. */
function ownerFor({ id }: Route, name: string | undefined, { owners }: Tenants): Tenants['owners'][string] | undefined {
  const owner = name === undefined ? undefined : owners[name];
  if (name !== undefined && !owner) throw new Error(`${id}: no domain says whose a ${name} is`);
  return owner;
}

function asOperator(person: Person, scopes: Narrowed, wanted: Scope): Standing | Fault {
  const role = person.platformRoles.find((held) => permitted(platformRoles[held], scopes, wanted));
  if (role) return { reach: 'platform', organizationId: undefined, projectId: undefined, actorRole: role };
  return person.platformRoles.length > 0
    ? lacking(wanted)
    : new Fault('admin_required', 'Only operators of the platform may do this.');
}

const permitted = (held: readonly Scope[], narrowed: Narrowed, wanted: Scope): boolean =>
  held.includes(wanted) && (narrowed === undefined || narrowed.has(wanted));

const lacking = (wanted: Scope, role?: TenantRole): Fault<'insufficient_permissions'> =>
  new Fault(
    'insufficient_permissions',
    role
      ? `Your role (${role}) or token does not include ${wanted}. Ask an admin of the organization.`
      : `Your roles or token do not include ${wanted}.`,
    { needed: wanted },
  );
