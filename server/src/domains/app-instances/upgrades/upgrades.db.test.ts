import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemIds } from '../../../kernel/id.ts';
import { asSystem, openWorld, type Tenant, type World } from '../../../testing/world.ts';
import { putVersion, testManifest } from '../../apps/testing.ts';
import { putInstance, putUpgraded } from '../testing.ts';
import { openStage, type Stage } from './testing.ts';

let world: World;
let stage: Stage;
let home: Tenant;
beforeAll(async () => {
  world = await openWorld();
  stage = await openStage(world);
  home = await world.found('home');
});
afterAll(async () => {
  await stage?.close();
  await world?.close();
});
beforeEach(() => {
  stage.queued.length = 0;
  stage.time.aheadMs = 0;
});

const write = (path: string, body?: object) =>
  world.call('POST', path, {
    ...{ as: home.token, headers: { 'x-project-id': home.projectId }, key: systemIds.next() },
    ...(body && { body }),
  });
const upgrade = (id: string, version: string, parameters: object = {}) =>
  write(`/api/v1/app-instances/${id}/upgrade`, { version, parameters: { greeting: 'Hi', ...parameters } });
const rowOf = async (id: string) => (await world.root.query('select * from app_instances where id = $1', [id])).rows[0];
const eventsOf = async (id: string) =>
  (
    await world.root.query(
      `select subject as type, envelope -> 'payload' as payload from outbox_events where key = $1 order by position`,
      [id],
    )
  ).rows;
const launches = () => stage.queued.filter(({ type }) => type === 'app.oci_launch');
const ready = { ready: true, workload: null };

/** The host says about the container that the instance has now. */
async function finish(id: string, type: string, outcome: 'succeeded' | 'failed', said: object) {
  const row = await rowOf(id);
  const of = { allocationId: row.allocation_id, workloadId: row.workload_id, instanceId: id };
  await stage.finish(of, type, outcome, said);
}
async function running() {
  const one = await putInstance(world, home, { state: 'running' });
  await putVersion(world, home, { appId: one.appId, version: '1.1.0', trust: 'verified' });
  return one;
}
/** Its old container is gone, and the new version is launched. */
async function tryOut(id: string) {
  await finish(id, 'app.oci_stop', 'succeeded', {});
  await stage.guard();
}

describe('what an instance on the allocation of a colleague runs', () => {
  it.each(['upgrade', 'rollback'])('is changed by those alone who may launch there: %s', async (what) => {
    const one = await putUpgraded(world, home, { state: 'running' });
    await putVersion(world, home, { appId: one.appId, version: '1.2.0', trust: 'verified' });
    const name = `mate-of-${what}`;
    const mate = await world.join(name, home, 'member');
    const [{ id: mateId }] = (await world.root.query('select id from users where oidc_subject = $1', [name])).rows;
    const change = (as: string) =>
      world.call('POST', `/api/v1/app-instances/${one.id}/${what}`, {
        ...{ as, key: systemIds.next() },
        ...(what === 'upgrade' && { body: { version: '1.2.0', parameters: { greeting: 'Hi' } } }),
      });
    const refused = await change(mate);
    expect([refused.status, refused.body.code]).toEqual([403, 'ownership_required']);
    expect(await rowOf(one.id)).toMatchObject({ state: 'running', app_version: '1.1.0' });
    const grants = `/api/v1/allocations/${one.allocationId}/access-grants`;
    const about = { user_id: mateId, reason: 'to help', expires_at: new Date(Date.now() + 3_600_000).toISOString() };
    const granted = await write(grants, about);
    expect(granted.status, granted.text).toBe(201);
    expect((await change(mate)).status).toBe(200);
    const stranger = await world.found(`stranger-to-${what}`);
    expect((await change(stranger.token)).body.code).toBe('app_instance_not_found');
  });
});

describe('an upgrade', () => {
  it('ends the old container first, launches the new version with its volumes and addresses, and is over when that answers', async () => {
    const { id, workloadId, versionId } = await running();
    const before = await world.root.query('select endpoint_name, label from app_routes where app_instance_id = $1', [
      id,
    ]);
    const asked = await upgrade(id, '1.1.0', { lines: 7 });
    expect(asked.body, asked.text).toMatchObject({
      ...{ state: 'stopping', app_version: '1.1.0', previous_version: '1.0.0', version_change: 'upgrading' },
    });
    await stage.guard();
    expect(launches()).toHaveLength(0);
    await tryOut(id);
    expect(launches()).toMatchObject([{ params: { args: ['--port=8080', '--lines=7'] } }]);
    const tried = await rowOf(id);
    expect(tried).toMatchObject({ state: 'launching', version_change: 'trying', previous_version_id: versionId });
    expect(tried.workload_id).not.toBe(workloadId);
    await finish(id, 'app.oci_launch', 'succeeded', { workload: {} });
    await finish(id, 'app.oci_ready', 'succeeded', ready);
    expect(await rowOf(id)).toMatchObject({ state: 'running', version_change: null, app_version: '1.1.0' });
    const after = await world.root.query('select endpoint_name, label from app_routes where app_instance_id = $1', [
      id,
    ]);
    expect(after.rows).toEqual(expect.arrayContaining(before.rows));
    const [stop] = (
      await world.root.query(
        `select envelope from node_tasks where allocation_id = $1 and task_type = 'app.oci_stop' order by id limit 1`,
        [tried.allocation_id],
      )
    ).rows;
    expect(stop.envelope.params.remove_volumes).toBe(false);
    expect((await eventsOf(id)).map(({ type }) => type)).toEqual([
      ...['apps.instance.upgrading', 'apps.instance.stopped', 'apps.instance.launching', 'apps.instance.running'],
      'apps.instance.upgraded',
    ]);
  });

  it('whose version does not become ready within its time gives the old one back, with the parameters that it had', async () => {
    const { id, versionId } = await running();
    await asSystem(
      world.root,
      `update app_instances set parameters = '{"lines": 4}', version = version + 1 where id = $1`,
      [id],
    );
    await upgrade(id, '1.1.0', { lines: 9 });
    await tryOut(id);
    await finish(id, 'app.oci_launch', 'succeeded', { workload: {} });
    stage.time.aheadMs = 181_000;
    await stage.guard();
    stage.time.aheadMs = 0;
    expect(await rowOf(id)).toMatchObject({ state: 'failed', failure_code: 'stalled', app_version: '1.1.0' });
    stage.queued.length = 0;
    await stage.guard();
    // Its host has not confirmed yet that the new container is gone, and both want the same volumes.
    expect(launches()).toHaveLength(0);
    await tryOut(id);
    expect(await rowOf(id)).toMatchObject({
      ...{ state: 'launching', app_version: '1.0.0', app_version_id: versionId, version_change: null },
      ...{ parameters: { lines: 4 }, previous_version: null },
    });
    expect(launches()).toMatchObject([{ params: { args: ['--port=8080', '--lines=4'] } }]);
    await finish(id, 'app.oci_launch', 'succeeded', { workload: {} });
    await finish(id, 'app.oci_ready', 'succeeded', ready);
    expect(await rowOf(id)).toMatchObject({ state: 'running', app_version: '1.0.0' });
    const rolledBack = (await eventsOf(id)).find(({ type }) => type === 'apps.instance.rolled_back');
    expect(rolledBack.payload).toMatchObject({ app_version: '1.0.0', from_version: '1.1.0', reason: 'not_ready' });
  });

  it('whose container ends by itself is rolled back too, also to a version that was retired meanwhile', async () => {
    const { id, versionId } = await running();
    await upgrade(id, '1.1.0');
    await tryOut(id);
    await asSystem(
      world.root,
      `update app_versions set state = 'promoted', channel = 'prod', version = version + 1 where id = $1`,
      [versionId],
    );
    await asSystem(
      world.root,
      `update app_versions set state = 'retired', retired_at = now(), version = version + 1 where id = $1`,
      [versionId],
    );
    await finish(id, 'app.oci_launch', 'failed', { code: 'container_failed', message: 'It ended.' });
    await tryOut(id);
    expect(await rowOf(id)).toMatchObject({ state: 'launching', app_version: '1.0.0' });
  });

  it('does not go back to a version whose trust was revoked, and says so', async () => {
    const { id, versionId } = await running();
    await upgrade(id, '1.1.0');
    await tryOut(id);
    await asSystem(
      world.root,
      `update app_version_trust set state = 'revoked', revocation_reason = 'bad', revocation_effect = 'stop', version = version + 1 where id = $1`,
      [versionId],
    );
    await finish(id, 'app.oci_launch', 'failed', { code: 'container_failed', message: 'It ended.' });
    await tryOut(id);
    await stage.guard();
    expect(await rowOf(id)).toMatchObject({
      state: 'failed',
      app_version: '1.1.0',
      version_change: null,
      failure_code: 'app_not_launchable',
    });
    expect(launches()).toHaveLength(1);
  });

  it('takes versions that this project may move to, values that the new manifest takes, and one move at a time', async () => {
    const { id, appId } = await running();
    await putVersion(world, home, { appId, version: '1.2.0', trust: 'failed_verification' });
    const codeOf = async (version: string, parameters?: object) => (await upgrade(id, version, parameters)).body.code;
    expect(await codeOf('9.9.9')).toBe('app_version_not_found');
    expect(await codeOf('1.2.0')).toBe('app_not_launchable');
    expect(await codeOf('latest')).toBe('validation_error');
    expect(await codeOf(`registry.example.com/demo/echo:1`)).toBe('validation_error');
    expect(await codeOf('1.1.0', { colour: 'red' })).toBe('app_parameters_invalid');
    expect(await rowOf(id)).toMatchObject({ state: 'running', app_version: '1.0.0' });
    expect((await upgrade(id, '1.1.0')).status).toBe(200);
    expect(await codeOf('1.1.0')).toBe('app_instance_changing');
  });

  it('keeps an address for an endpoint that a version does not have, and leads nowhere meanwhile', async () => {
    const { id, appId } = await putUpgraded(world, home);
    const endpoints = testManifest().endpoints.slice(0, 1);
    await putVersion(world, home, {
      ...{ appId, version: '1.3.0', trust: 'verified' },
      change: { endpoints, metering: [] },
    });
    const moved = await upgrade(id, '1.3.0');
    const names = moved.body.routes.map(({ endpoint }: { endpoint: string }) => endpoint);
    expect(names).toEqual(['web']);
    await write(`/api/v1/app-instances/${id}/rollback`);
    const back = await world.call('GET', `/api/v1/app-instances/${id}`, { as: home.token });
    expect(back.body.routes.map(({ endpoint }: { endpoint: string }) => endpoint)).toEqual(['api', 'web']);
  });
});

describe('a rollback', () => {
  it('leads to the version of before with its parameters, once, and nothing brings the left version back', async () => {
    const { id } = await putUpgraded(world, home, { state: 'running' });
    const asked = await write(`/api/v1/app-instances/${id}/rollback`);
    expect(asked.body, asked.text).toMatchObject({
      ...{ state: 'stopping', app_version: '1.0.0', version_change: 'returning', previous_version: null },
      parameters: { greeting: 'Hi' },
    });
    await tryOut(id);
    expect(await rowOf(id)).toMatchObject({ state: 'launching', version_change: null });
    await finish(id, 'app.oci_launch', 'failed', { code: 'container_failed', message: 'It ended.' });
    await tryOut(id);
    expect(await rowOf(id)).toMatchObject({ state: 'failed', app_version: '1.0.0', failure_code: 'container_failed' });
    expect((await write(`/api/v1/app-instances/${id}/rollback`)).body.code).toBe('app_no_previous_version');
  });

  it('calls off an upgrade that is being tried out', async () => {
    const { id } = await running();
    await upgrade(id, '1.1.0');
    await tryOut(id);
    stage.queued.length = 0;
    const asked = await write(`/api/v1/app-instances/${id}/rollback`);
    expect(asked.body).toMatchObject({ state: 'stopping', app_version: '1.0.0', version_change: 'returning' });
    await tryOut(id);
    expect(launches()).toHaveLength(1);
    expect(await rowOf(id)).toMatchObject({ state: 'launching', app_version: '1.0.0' });
  });
});
