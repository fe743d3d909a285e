import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { actsOf } from '../../kernel/act.ts';
import { systemClock } from '../../kernel/clock.ts';
import { systemIds } from '../../kernel/id.ts';
import { silentLog } from '../../kernel/telemetry/log.ts';
import { openPostgres } from '../../ports/database/postgres.ts';
import { openWorld, type Tenant, type World } from '../../testing/world.ts';
import { makeProjectKeys } from './index.ts';

let world: World;
let home: Tenant;
beforeAll(async () => {
  world = await openWorld({ policies: { 'ssh.max_keys_per_user': 3, 'ssh.max_keys_per_project': 2 } });
  home = await world.found('home');
});
afterAll(() => world.close());

const freshKey = (comment = 'ada@engine'): string => {
  const blob = Buffer.concat([Buffer.from('\0\0\0\x0bssh-ed25519\0\0\0\x20', 'latin1'), randomBytes(32)]);
  return `ssh-ed25519 ${blob.toString('base64')} ${comment}`;
};
const mine = '/api/v1/me/ssh-keys';
const ofProject = '/api/v1/ssh-keys';
const add = (path: string, as: string, body: object, project = home.projectId) =>
  world.call('POST', path, {
    as,
    key: systemIds.next(),
    body,
    headers: path === ofProject ? { 'x-project-id': project } : {},
  });

describe('keys of a person', () => {
  it('are added with fingerprint and comment, listed, and removed', async () => {
    const as = await world.token('ada');
    const added = await add(mine, as, { public_key: freshKey() });
    expect(added).toMatchObject({
      status: 201,
      body: { name: 'ada@engine', comment: 'ada@engine', type: 'ssh-ed25519', bits: 256, last_used_at: null },
    });
    expect(added.body.resource_name).toBe(`gpuaas:test:::ssh/key:${added.body.id}`);
    const listed = await world.call('GET', mine, { as });
    expect(listed.body.data).toEqual([added.body]);
    const path = `${mine}/${added.body.id}`;
    const foreign = await world.call('DELETE', path, { as: await world.token('eve'), key: systemIds.next() });
    expect(foreign).toMatchObject({ status: 404, body: { code: 'ssh_key_not_found' } });
    expect((await world.call('DELETE', path, { as, key: systemIds.next() })).status).toBe(200);
    expect((await world.call('GET', mine, { as })).body.data).toEqual([]);
  });

  it('are kept once per person, whoever else has them', async () => {
    const key = freshKey();
    const [bob, carol] = [await world.token('bob'), await world.token('carol')];
    expect((await add(mine, bob, { public_key: key })).status).toBe(201);
    expect(await add(mine, bob, { public_key: key.replace('ada@engine', 'other') })).toMatchObject({
      status: 409,
      body: { code: 'ssh_key_exists' },
    });
    expect((await add(mine, carol, { public_key: key })).status).toBe(201);
  });

  it('are no more than the policy allows, however many come at once', async () => {
    const as = await world.token('collector');
    const replies = await Promise.all(Array.from({ length: 8 }, () => add(mine, as, { public_key: freshKey() })));
    expect(replies.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, 201, 201, 409, 409, 409, 409, 409]);
    expect(replies.find(({ status }) => status === 409)?.body.code).toBe('ssh_key_limit');
  });

  it('are refused with a reason, and a private one is kept nowhere', async () => {
    const as = await world.token('careless');
    const text = '-----BEGIN OPENSSH PRIVATE KEY-----\ncarelesscarelesscareless\n-----END OPENSSH PRIVATE KEY-----\n';
    const reply = await add(mine, as, { public_key: text });
    expect(reply).toMatchObject({ status: 400, body: { code: 'ssh_key_invalid' } });
    expect(reply.body.message).toContain('private key');
    const { rows } = await world.root.query(`select json_agg(a)::text as log from audit_logs a`);
    expect(rows[0].log).not.toContain('carelesscareless');
  });
});

describe('keys of a project', () => {
  it('are added by admins, seen by members, and limited by policy', async () => {
    const added = await add(ofProject, home.token, { name: 'deploy', public_key: freshKey('ci') });
    expect(added).toMatchObject({
      status: 201,
      body: { name: 'deploy', comment: 'ci', user_id: null, project_id: home.projectId },
    });
    const member = await world.join('member', home, 'member');
    expect(await add(ofProject, member, { public_key: freshKey() })).toMatchObject({ status: 403 });
    const listed = await world.call('GET', ofProject, { as: member, headers: { 'x-project-id': home.projectId } });
    expect(listed.body.data).toEqual([added.body]);
    expect((await add(ofProject, home.token, { public_key: freshKey() })).status).toBe(201);
    expect(await add(ofProject, home.token, { public_key: freshKey() })).toMatchObject({
      status: 409,
      body: { code: 'ssh_key_limit' },
    });
  });

  it('belong to one project: another one of the same organization neither sees nor removes them', async () => {
    const other = await world.call('POST', `/api/v1/organizations/${home.organizationId}/projects`, {
      as: home.token,
      key: systemIds.next(),
      body: { name: 'Other', slug: 'other' },
    });
    const headers = { 'x-project-id': other.body.id };
    const [key] = (await world.root.query('select id from ssh_keys where project_id = $1', [home.projectId])).rows;
    expect((await world.call('GET', ofProject, { as: home.token, headers })).body.data).toEqual([]);
    const gone = await world.call('DELETE', `${ofProject}/${key.id}`, {
      as: home.token,
      key: systemIds.next(),
      headers,
    });
    expect(gone).toMatchObject({ status: 404, body: { code: 'ssh_key_not_found' } });
  });

  it('go with their project, once, and the organization can read it in its log', async () => {
    const tenant = await world.found('short-lived');
    await add(ofProject, tenant.token, { public_key: freshKey() }, tenant.projectId);
    await add(ofProject, tenant.token, { public_key: freshKey() }, tenant.projectId);
    const worker = await openPostgres({
      url: world.schema.as('gpuaas_worker'),
      clock: systemClock,
      ids: systemIds,
      log: silentLog,
      name: 'worker',
      poolSize: 1,
    });
    try {
      const keys = makeProjectKeys({ db: worker.database, begin: actsOf('ssh', systemIds) });
      const correlationId = systemIds.next();
      expect(await keys.windDown(tenant.projectId, correlationId)).toBe('gone');
      expect(await keys.windDown(tenant.projectId, correlationId)).toBe('gone');
      const { rows } = await world.root.query(
        `select organization_id, change from audit_logs where correlation_id = $1 and action = 'project_ssh_key.wind_down'`,
        [correlationId],
      );
      expect(rows).toEqual([{ organization_id: tenant.organizationId, change: { ssh_keys_removed: 2 } }]);
      const left = await world.root.query('select id from ssh_keys where project_id = $1', [tenant.projectId]);
      expect(left.rows).toEqual([]);
    } finally {
      await worker.close();
    }
  });
});
