import {
  activityList,
  appSignInCreate,
  dlqList,
  jumpHostGet,
  organizationCreate,
  organizationGet,
  organizationList,
  projectGet,
  type Route,
  versionGet,
} from '@gpuaas/contract';
import { describe, expect, it } from 'vitest';
import { makeScoping, type Person, type Tenants } from './tenancy.ts';

const organizationId = '01890000-0000-7000-8000-000000000001';
const projectId = '01890000-0000-7000-8000-00000000000a';
const stranger = '01890000-0000-7000-8000-000000000003';
const person: Person = { id: 'p', kind: 'user', platformRoles: [] };
const tenants: Tenants = {
  role: async (id) => (id === 'p' ? 'owner' : id === 'v' ? 'viewer' : undefined),
  owners: {
    organization_id: {
      absent: 'organization_not_found',
      find: async (id) => (id === organizationId ? { organizationId, projectId: undefined } : undefined),
    },
    project_id: {
      absent: 'project_not_found',
      find: async (id) => (id === projectId ? { organizationId, projectId } : undefined),
    },
  },
};
const scope = (
  route: Route,
  params: Record<string, string> = {},
  given: { who?: Person; scopes?: ReadonlySet<string>; projectHeader?: string } = {},
) =>
  makeScoping(route, tenants, () => 'minted')(given.who ?? person, given.scopes, {
    params,
    projectHeader: given.projectHeader,
  });

describe('on whose behalf a request runs', () => {
  it('is nobody in particular where the route is about no tenant', async () => {
    expect(await scope(versionGet)).toMatchObject({ reach: 'self', organizationId: undefined, actorRole: 'none' });
    expect(await scope(organizationList)).toMatchObject({ reach: 'self', organizationId: undefined });
  });

  it('is not more than the token gives, also where the route is about no tenant', async () => {
    const narrow = { scopes: new Set(['profile:read']) };
    expect(await scope(jumpHostGet, {}, narrow)).toMatchObject({ code: 'insufficient_permissions' });
    expect(await scope(appSignInCreate, {}, narrow)).toMatchObject({
      code: 'insufficient_permissions',
      details: { needed: 'allocations:write' },
    });
    expect(await scope(jumpHostGet, {}, { scopes: new Set(['allocations:read']) })).toMatchObject({ reach: 'self' });
    expect(await scope(jumpHostGet)).toMatchObject({ reach: 'self' });
  });

  it('is a new organization where one is founded', async () => {
    expect(await scope(organizationCreate)).toMatchObject({
      reach: 'organization',
      organizationId: 'minted',
      actorRole: 'owner',
    });
  });

  it('is whoever owns what the path or the header names', async () => {
    const expected = { reach: 'organization', organizationId, actorRole: 'owner' };
    expect(await scope(organizationGet, { organization_id: organizationId })).toMatchObject(expected);
    expect(await scope(projectGet, { project_id: projectId })).toMatchObject({ ...expected, projectId });
    expect(await scope(activityList, {}, { projectHeader: projectId })).toMatchObject({ ...expected, projectId });
  });

  it('is refused alike for what is absent and for what belongs to others', async () => {
    const outsider = { who: { ...person, id: 'outsider' } };
    const [absent, foreign] = [
      await scope(projectGet, { project_id: stranger }, outsider),
      await scope(projectGet, { project_id: projectId }, outsider),
    ];
    expect(absent).toEqual(foreign);
    expect(absent).toMatchObject({ code: 'project_not_found', message: 'There is no such object.' });
  });

  it('must be said, and said well', async () => {
    expect(await scope(activityList)).toMatchObject({ code: 'project_required' });
    expect(await scope(activityList, {}, { projectHeader: 'x' })).toMatchObject({
      code: 'validation_error',
      details: { fields: [{ in: 'header', field: 'X-Project-ID', message: 'is not an id' }] },
    });
    expect(await scope(projectGet, { project_id: projectId.toUpperCase() })).toMatchObject({
      code: 'validation_error',
    });
  });

  it('is not contradicted by the header', async () => {
    expect(await scope(projectGet, { project_id: projectId }, { projectHeader: stranger })).toMatchObject({
      code: 'project_mismatch',
    });
    expect(
      await scope(organizationGet, { organization_id: organizationId }, { projectHeader: stranger }),
    ).toMatchObject({
      organizationId,
    });
  });
});

describe('a service account', () => {
  const bounds = {
    organizationId,
    projectIds: [projectId],
    seesOrganization: false,
    scopes: ['projects:read'] as const,
  };
  const account = (changed: Partial<typeof bounds> | { seesOrganization: boolean } = {}) => ({
    who: { id: 'robot', kind: 'service_account', platformRoles: [], bounds: { ...bounds, ...changed } } as Person,
  });
  const project = (given: ReturnType<typeof account>) => scope(projectGet, { project_id: projectId }, given);
  const organization = (given: ReturnType<typeof account>) =>
    scope(organizationGet, { organization_id: organizationId }, given);

  it('is a member of the projects in its bounds, and its reach is these', async () => {
    expect(await project(account())).toEqual({
      ...{ reach: 'organization', organizationId, projectId, projectIds: [projectId], actorRole: 'member' },
    });
  });

  it.each([
    ['a project outside its list', { projectIds: [stranger] }],
    ['a project of another organization, whatever its list says', { organizationId: stranger }],
    ['any project when its list is empty', { projectIds: [] }],
  ])('finds nothing of %s', async (_, changed) => {
    expect(await project(account(changed))).toEqual(await scope(projectGet, { project_id: stranger }, account()));
    expect(await project(account(changed))).toMatchObject({ code: 'project_not_found' });
  });

  it('needs the scope also where the route is about no tenant', async () => {
    expect(await scope(jumpHostGet, {}, account())).toMatchObject({ code: 'insufficient_permissions' });
    const reads = account({ scopes: ['allocations:read'] as never });
    expect(await scope(jumpHostGet, {}, reads)).toMatchObject({ reach: 'self' });
  });

  it('sees what belongs to no project only where its bounds say so, and only of its own organization', async () => {
    const scopes = { scopes: ['organizations:read'] as never };
    expect(await organization(account(scopes))).toMatchObject({ code: 'organization_not_found' });
    const wide = { ...scopes, seesOrganization: true };
    expect(await organization(account(wide))).toMatchObject({ organizationId, actorRole: 'member' });
    expect(await organization(account({ ...wide, organizationId: stranger }))).toMatchObject({
      code: 'organization_not_found',
    });
  });

  it('has its scopes and not those of a member', async () => {
    expect(await project(account({ scopes: [] as never }))).toMatchObject({ code: 'insufficient_permissions' });
  });
});

describe('what a caller may do', () => {
  const operator = { who: { ...person, platformRoles: ['platform_support', 'platform_ops'] as const } };

  it('is what the role holds and the token does not narrow', async () => {
    const get = (scopes?: ReadonlySet<string>) =>
      scope(projectGet, { project_id: projectId }, scopes ? { scopes } : {});
    expect(await get()).not.toBeInstanceOf(Error);
    expect(await get(new Set(['projects:read']))).not.toBeInstanceOf(Error);
    expect(await get(new Set(['projects:write']))).toMatchObject({
      code: 'insufficient_permissions',
      details: { needed: 'projects:read' },
      message: expect.stringContaining('owner'),
    });
  });

  it('about themselves may be narrowed too', async () => {
    expect(await scope(organizationList, {}, { scopes: new Set() })).toMatchObject({
      code: 'insufficient_permissions',
    });
  });

  it('as an operator comes from the first role that holds it', async () => {
    expect(await scope(dlqList, {}, operator)).toMatchObject({ reach: 'platform', actorRole: 'platform_ops' });
    expect(await scope(dlqList)).toMatchObject({ code: 'admin_required' });
    expect(await scope(dlqList, {}, { ...operator, scopes: new Set() })).toMatchObject({
      code: 'insufficient_permissions',
    });
  });
});

it('a route about something that no domain owns does not start', () => {
  expect(() => makeScoping(projectGet, { ...tenants, owners: {} }, () => '')).toThrow(
    'project_get: no domain says whose a project_id is',
  );
});
