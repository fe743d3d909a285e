import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemIds } from '../../kernel/id.ts';
import { asSystem, openWorld, type Tenant, type World } from '../../testing/world.ts';
import { putVersion, testManifest } from './testing.ts';

/** A member of a project, who is no administrator of anything, publishes an app, and others find it when it is their turn. */
let world: World;
let home: Tenant;
let other: Tenant;
let member: string;
let viewer: string;
let operator: string;
beforeAll(async () => {
  world = await openWorld({ policies: { 'apps.max_versions_per_app': 4 } });
  home = await world.found('home');
  other = await world.found('other');
  member = await world.join('maker', home, 'member');
  viewer = await world.join('looker', home, 'viewer');
  operator = await world.operator();
});
afterAll(() => world.close());

const ask = (method: string, path: string, body?: unknown, as = member, project?: string) =>
  world.call(method, `/api/v1${path}`, {
    as,
    ...(method !== 'GET' && { key: systemIds.next() }),
    ...(body !== undefined && { body }),
    headers: project === undefined ? {} : { 'x-project-id': project },
  });
const slugOf = () => `app-${systemIds.next().slice(-12)}`;
async function makeApp(visibility = 'platform') {
  const slug = slugOf();
  const made = await ask('POST', `/projects/${home.projectId}/apps`, { slug, name: 'Echo', visibility });
  expect(made.status, made.text).toBe(201);
  return { slug, id: made.body.id as string };
}
const publish = (app: { id: string; slug: string }, version = '1.0.0', as = member) =>
  ask('POST', `/apps/${app.id}/versions`, { manifest: testManifest({ slug: app.slug, version }) }, as);
const move = (id: string, verb: string, body: object = {}, as = member) =>
  ask('POST', `/app-versions/${id}/${verb}`, body, as);
/** As verification would answer. */
const verify = (id: string) =>
  asSystem(
    world.root,
    `update app_version_trust set state = 'verified', version = version + 1, verified_at = now() where id = $1`,
    [id],
  );
const catalogOf = async (tenant: Tenant, as = tenant.token) =>
  (await ask('GET', '/catalog/apps', undefined, as, tenant.projectId)).body.data.map(({ id }: { id: string }) => id);

describe('a member who is no administrator', () => {
  it('publishes an app, moves it through the channels, and others find it when it is verified and in prod', async () => {
    const app = await makeApp();
    const made = await publish(app);
    expect(made.status, made.text).toBe(201);
    expect(made.body).toMatchObject({
      ...{ version: '1.0.0', lifecycle_state: 'published', trust_state: 'unverified', channel: 'dev', revision: 1 },
      image_repository: 'registry.example.com/demo/echo',
    });
    const id = made.body.id as string;
    expect(await catalogOf(other)).not.toContain(app.id);
    expect(await catalogOf(home)).toContain(app.id);

    for (const channel of ['test', 'staging']) {
      expect((await move(id, 'promote')).body).toMatchObject({ channel, lifecycle_state: 'published' });
    }
    expect((await move(id, 'promote')).body).toMatchObject({ status: 409, code: 'app_version_untrusted' });
    await verify(id);
    expect((await move(id, 'promote')).body).toMatchObject({ channel: 'prod', lifecycle_state: 'promoted' });
    expect((await move(id, 'promote')).body.code).toBe('illegal_transition');
    expect(await catalogOf(other)).toContain(app.id);

    const seen = await ask('GET', `/catalog/apps/${app.id}/versions`, undefined, other.token, other.projectId);
    expect(seen.body.data).toMatchObject([{ version: '1.0.0', launchable: true, reason: null }]);
    expect((await move(id, 'deprecate')).body).toMatchObject({ lifecycle_state: 'deprecated' });
    expect((await move(id, 'retire')).body).toMatchObject({ lifecycle_state: 'retired' });
    expect(await catalogOf(other)).not.toContain(app.id);
    const audit = await world.root.query('select action from audit_logs where target_id = $1 order by action', [id]);
    expect(audit.rows.map(({ action }) => action)).toEqual([
      'app.version.deprecate',
      'app.version.promote',
      'app.version.promote',
      'app.version.promote',
      'app.version.publish',
      'app.version.retire',
    ]);
  });

  it('publishes a number once, within the limit, and under the slug of the app', async () => {
    const app = await makeApp();
    expect((await publish(app)).status).toBe(201);
    expect((await publish(app)).body).toMatchObject({ status: 409, code: 'app_version_exists' });
    expect((await publish({ ...app, slug: 'another' }, '1.0.1')).body).toMatchObject({
      ...{ status: 422, code: 'app_manifest_invalid' },
      details: { fields: [{ field: 'metadata.slug' }] },
    });
    for (const version of ['1.0.1', '1.0.2', '1.0.3']) expect((await publish(app, version)).status).toBe(201);
    expect((await publish(app, '1.0.4')).body.code).toBe('app_limit_reached');
  });

  it('cannot publish a tag, root or two endpoints on one port', async () => {
    const app = await makeApp();
    const bad = (change: (manifest: ReturnType<typeof testManifest>) => void) => {
      const manifest = testManifest({ slug: app.slug });
      change(manifest);
      return ask('POST', `/apps/${app.id}/versions`, { manifest });
    };
    expect(
      (await bad((m) => Object.assign(m.runtime, { image: 'registry.example.com/demo/echo:1' }))).body,
    ).toMatchObject({
      status: 400,
      code: 'validation_error',
    });
    expect((await bad((m) => Object.assign(m.runtime.user, { uid: 0 }))).status).toBe(400);
    expect((await bad((m) => Object.assign(m.endpoints[1] ?? {}, { port: 8_080 }))).body).toMatchObject({
      ...{ status: 422, code: 'app_manifest_invalid' },
      details: { fields: [{ field: 'endpoints.1.port' }] },
    });
  });

  it('needs the right to publish, and a revision that is still true', async () => {
    const app = await makeApp();
    const { body } = await publish(app);
    expect((await publish(app, '1.1.0', viewer)).body.code).toBe('insufficient_permissions');
    expect((await move(body.id, 'promote', { revision: 7 })).body.code).toBe('version_conflict');
    expect((await move(body.id, 'promote', {}, other.token)).status).toBe(404);
  });
});

describe('an app that is not for everybody', () => {
  it('of a project is not there for another project of the same organization', async () => {
    const { appId } = await putVersion(world, home, {
      lifecycle: 'promoted',
      trust: 'verified',
      visibility: 'project',
    });
    const made = await ask(
      'POST',
      `/organizations/${home.organizationId}/projects`,
      { name: 'S', slug: slugOf() },
      home.token,
    );
    const versionsFor = (projectId: string) =>
      ask('GET', `/catalog/apps/${appId}/versions`, undefined, home.token, projectId);
    expect((await versionsFor(home.projectId)).body.data).toHaveLength(1);
    expect((await versionsFor(made.body.id)).body.code).toBe('app_not_found');
  });

  it('is found by an organization while it is entitled', async () => {
    const { appId } = await putVersion(world, home, {
      lifecycle: 'promoted',
      trust: 'verified',
      visibility: 'organization',
    });
    expect(await catalogOf(other)).not.toContain(appId);
    const given = await ask('POST', `/apps/${appId}/entitlements`, { organization_id: other.organizationId });
    expect(given.status, given.text).toBe(201);
    expect(await catalogOf(other)).toContain(appId);
    const again = await ask('POST', `/apps/${appId}/entitlements`, { organization_id: other.organizationId });
    expect(again.body.code).toBe('app_already_entitled');
    const nobody = await ask('POST', `/apps/${appId}/entitlements`, { organization_id: systemIds.next() });
    expect(nobody.body.code).toBe('organization_not_found');
    expect((await ask('DELETE', `/apps/${appId}/entitlements/${given.body.id}`)).status).toBe(200);
    expect(await catalogOf(other)).not.toContain(appId);
  });
});

describe('an operator', () => {
  it('revokes the trust in a version for good, with a reason', async () => {
    const { appId, versionId } = await putVersion(world, home, {
      ...{ lifecycle: 'promoted', trust: 'verified', visibility: 'platform' },
    });
    const path = `/admin/app-versions/${versionId}/revoke`;
    const body = { reason: 'it calls home', effect: 'stop' };
    expect((await ask('POST', path, body)).body.code).toBe('admin_required');
    const revoked = await ask('POST', path, body, operator);
    expect(revoked.status, revoked.text).toBe(200);
    expect(revoked.body).toMatchObject({
      version: { trust_state: 'revoked', revocation_reason: 'it calls home', revocation_effect: 'stop' },
      affected: [],
    });
    expect((await ask('POST', path, body, operator)).body.code).toBe('illegal_transition');
    const seen = await ask('GET', `/catalog/apps/${appId}/versions`, undefined, other.token, other.projectId);
    expect(seen.body.data).toMatchObject([{ launchable: false, reason: expect.stringContaining('revoked') }]);
    const board = await ask('GET', '/admin/app-versions?trust_state=revoked', undefined, operator);
    expect(board.body.data.map(({ id }: { id: string }) => id)).toContain(versionId);
  });
});
