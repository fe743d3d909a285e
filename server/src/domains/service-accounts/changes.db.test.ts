import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemIds } from '../../kernel/id.ts';
import { auditedChange, openWorld, type Reply, type Tenant, type World } from '../../testing/world.ts';

let world: World;
let home: Tenant;
let second: string;
beforeAll(async () => {
  world = await openWorld();
  home = await world.found('home');
  second = (await post(`/api/v1/organizations/${home.organizationId}/projects`, { name: 'Second', slug: 'second' }))
    .body.id;
});
afterAll(() => world.close());

const post = (path: string, body: object): Promise<Reply> =>
  world.call('POST', path, { as: home.token, key: systemIds.next(), body });
const patch = (id: string, body: object, as = home.token): Promise<Reply> =>
  world.call('PATCH', `/api/v1/service-accounts/${id}`, { as, key: systemIds.next(), body });
async function account(where: 'project' | 'organization') {
  const { projectId, organizationId } = home;
  const made = await post(
    where === 'project'
      ? `/api/v1/projects/${projectId}/service-accounts`
      : `/api/v1/organizations/${organizationId}/service-accounts`,
    {
      name: 'Robot',
      slug: `robot-${systemIds.next().slice(-12)}`,
      scopes: ['projects:read'],
      ...(where === 'organization' && { project_ids: [projectId] }),
    },
  );
  expect(made.status, made.text).toBe(201);
  return made.body;
}

describe('a change of a service account', () => {
  it('says in the log what was and what is, and leaves alone what it does not name', async () => {
    const { id, version } = await account('organization');
    const changed = await patch(id, { name: 'Runner', description: 'Runs.', project_ids: [second], version });
    expect(changed.status, changed.text).toBe(200);
    expect(changed.body).toMatchObject({
      name: 'Runner',
      description: 'Runs.',
      project_ids: [second],
      state: 'active',
    });
    expect(changed.body.scopes).toEqual(['projects:read']);
    expect(changed.body.version).toBeGreaterThan(version);
    const { rows } = await world.root.query(
      `select ${auditedChange} from audit_logs l where target_id = $1 and action = 'service_account.update'`,
      [id],
    );
    expect(rows).toEqual([
      {
        change: {
          name: ['Robot', 'Runner'],
          description: [null, 'Runs.'],
          project_ids: [[home.projectId], [second]],
        },
      },
    ]);
    expect((await patch(id, { description: null })).body.description).toBeNull();
  });

  it('switches it off and on; what it is already it stays', async () => {
    const { id } = await account('project');
    for (const state of ['disabled', 'disabled', 'active']) {
      const changed = await patch(id, { state });
      expect([changed.status, changed.body.state], changed.text).toEqual([200, state]);
    }
  });

  it('gives no scope that the giver does not have, and takes any', async () => {
    const { id } = await account('project');
    await world.join('narrow', home, 'admin');
    const narrow = await world.token('narrow', { scope: 'service_accounts:write activity:read' });
    expect((await patch(id, { scopes: ['projects:write'] }, narrow)).body.code).toBe('insufficient_permissions');
    // The account has this one already, so that nobody gives it.
    expect((await patch(id, { scopes: ['projects:read', 'activity:read'] }, narrow)).status).toBe(200);
    expect((await patch(id, { scopes: ['activity:read'] }, narrow)).body.scopes).toEqual(['activity:read']);
  });

  it('is not given another project, nor enabled, by somebody who lacks one of its scopes', async () => {
    const { id } = await account('organization');
    const few = await world.token('narrow', { scope: 'service_accounts:write' });
    expect((await patch(id, { project_ids: [home.projectId, second] }, few)).body.code).toBe(
      'insufficient_permissions',
    );
    expect((await patch(id, { state: 'disabled' }, few)).status).toBe(200);
    expect((await patch(id, { state: 'active' }, few)).body.code).toBe('insufficient_permissions');
    const enable = (as: string) =>
      world.call('POST', `/api/v1/service-accounts/${id}/enable`, { as, key: systemIds.next(), body: {} });
    expect((await enable(few)).body.code).toBe('insufficient_permissions');
    expect((await enable(home.token)).status).toBe(200);
  });

  it('names no project that is not there, nor any for a pinned account', async () => {
    const [ofProject, ofOrganization] = [await account('project'), await account('organization')];
    expect((await patch(ofProject.id, { project_ids: [second] })).body.code).toBe('service_account_pinned');
    const foreign = await world.found(`foreign-${systemIds.next().slice(-12)}`);
    for (const project of [foreign.projectId, systemIds.next()]) {
      const refused = await patch(ofOrganization.id, { project_ids: [home.projectId, project] });
      expect([refused.status, refused.body.code]).toEqual([404, 'project_not_found']);
    }
  });

  it('is refused when the account has changed meanwhile, or is deleted, or when nothing is asked for', async () => {
    const { id, version } = await account('project');
    await patch(id, { name: 'First' });
    expect((await patch(id, { name: 'Second', version })).body.code).toBe('version_conflict');
    expect((await patch(id, {})).body.code).toBe('validation_error');
    await world.call('DELETE', `/api/v1/service-accounts/${id}`, { as: home.token, key: systemIds.next() });
    expect((await patch(id, { name: 'Third' })).body.code).toBe('illegal_transition');
  });
});
