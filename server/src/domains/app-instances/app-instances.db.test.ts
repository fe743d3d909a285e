import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemViewer } from '../../kernel/act.ts';
import { systemIds } from '../../kernel/id.ts';
import { asSystem, openWorld, type Tenant, type World } from '../../testing/world.ts';
import { putVersion } from '../apps/testing.ts';
import { listDue } from './guard-store.ts';
import { putInstance, putWholeNode } from './testing.ts';
import { openStage, type Stage } from './upgrades/testing.ts';

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

const guard = () => stage.guard();
const stateOf = async (id: string) =>
  (
    await world.root.query(
      'select state, failure_code, end_reason, attempts, workload_id from app_instances where id = $1',
      [id],
    )
  ).rows[0];
const write = (method: string, path: string, body?: object) =>
  world.call(method, path, { ...asOwner(), key: systemIds.next(), ...(body && { body }) });
const asOwner = () => ({ as: home.token, headers: { 'x-project-id': home.projectId } });

/** Gives results of the host about one container. */
const finisher =
  (of: { readonly allocationId: string; readonly workloadId: string; readonly instanceId?: string }) =>
  (type: string, outcome: 'succeeded' | 'failed', said: object) =>
    stage.finish(of, type, outcome, said);
const stopsOf = (workloadId: string) =>
  stage.queued.filter(({ type, params }) => type === 'app.oci_stop' && JSON.stringify(params).includes(workloadId));
const change = (id: string, what: string) =>
  asSystem(world.root, `update app_instances set ${what}, version = version + 1 where id = $1`, [id]);

describe('an app instance', () => {
  it('is launched on an active allocation of a whole node with the values of its manifest, by a signed task', async () => {
    const { reference } = await putVersion(world, home, { trust: 'verified' });
    const made = await write('POST', '/api/v1/app-instances', {
      app: reference,
      allocation_id: await putWholeNode(world, home),
      parameters: { greeting: 'Hi', lines: 5 },
    });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ state: 'launching', attempts: 1, owns_allocation: false });
    expect(made.body.routes.map(({ family }: { family: string }) => family).sort()).toEqual(['api', 'browser']);
    const { rows } = await world.root.query(
      `select envelope from node_tasks where task_type = 'app.oci_launch' and allocation_id = $1`,
      [made.body.allocation_id],
    );
    expect(rows[0].envelope.params).toMatchObject({
      args: ['--port=8080', '--lines=5'],
      egress: 'none',
      labels: { instance_id: made.body.id },
    });
    expect(rows[0].envelope.params.env).toContainEqual({ name: 'ECHO_GREETING', value: 'Hi' });
  });

  it.each([true, false])('says in its events whether its host is simulated: %s', async (simulated) => {
    const { reference } = await putVersion(world, home, { trust: 'verified' });
    const allocationId = await putWholeNode(world, home);
    await asSystem(
      world.root,
      `update nodes set topology = coalesce(topology, '{}') || jsonb_build_object('simulated', $2::boolean), version = version + 1
       where id = (select node_id from allocations where id = $1)`,
      [allocationId, simulated],
    );
    const wanted = { app: reference, allocation_id: allocationId, parameters: { greeting: 'Hi' } };
    const made = await write('POST', '/api/v1/app-instances', wanted);
    expect(made.status).toBe(201);
    await write('POST', `/api/v1/app-instances/${made.body.id}/release`, {});
    const { rows } = await world.root.query(
      `select subject, envelope -> 'payload' -> 'simulated' as simulated from outbox_events
       where envelope -> 'payload' ->> 'app_instance_id' = $1 order by position`,
      [made.body.id],
    );
    expect(rows[0]).toEqual({ subject: 'apps.instance.launching', simulated });
    expect(new Set(rows.map((row) => row.simulated))).toEqual(new Set([simulated]));
  });

  it('is refused with parameters that its manifest does not know, on a slice, and on an allocation of others', async () => {
    const { reference } = await putVersion(world, home, { trust: 'verified' });
    const allocation_id = await putWholeNode(world, home);
    const launch = async (more: object) =>
      (await write('POST', '/api/v1/app-instances', { app: reference, ...more })).body.code;
    expect(await launch({ allocation_id, parameters: { colour: 'red' } })).toBe('app_parameters_invalid');
    expect(await launch({ allocation_id, parameters: { lines: 1_000 } })).toBe('app_parameters_invalid');
    expect(await launch({})).toBe('validation_error');
    await asSystem(
      world.root,
      `update allocations set capacity_shape = 'gpu_slice', version = version + 1 where id = $1`,
      [allocation_id],
    );
    expect(await launch({ allocation_id })).toBe('app_not_supported');
    const other = await world.found('others');
    expect(await launch({ allocation_id: await putWholeNode(world, other) })).toBe('allocation_not_found');
  });

  it('cannot begin on an allocation that has ended, whatever the code says: the database refuses', async () => {
    const stopped = await putInstance(world, home, { state: 'stopped' });
    await asSystem(world.root, `update allocations set state = 'releasing', version = version + 1 where id = $1`, [
      stopped.allocationId,
    ]);
    await expect(
      asSystem(world.root, `update app_instances set state = 'launching', version = version + 1 where id = $1`, [
        stopped.id,
      ]),
    ).rejects.toThrow('needs an active allocation');
  });

  it('ends with its allocation, also while it launches', async () => {
    const running = await putInstance(world, home, { state: 'running' });
    const launching = await putInstance(world, home, { state: 'launching', allocationId: running.allocationId });
    await asSystem(world.root, `update allocations set state = 'releasing', version = version + 1 where id = $1`, [
      running.allocationId,
    ]);
    await guard();
    for (const { id } of [running, launching]) {
      expect(await stateOf(id)).toMatchObject({ state: 'released', end_reason: 'allocation_ended' });
    }
  });

  it('of a version that is revoked with the effect to stop is listed by the revocation, ended, and not tried again', async () => {
    const { id } = await putInstance(world, home, { state: 'running' });
    const [{ app_version_id: version }] = (
      await world.root.query('select app_version_id from app_instances where id = $1', [id])
    ).rows;
    const revoked = await world.call('POST', `/api/v1/admin/app-versions/${version}/revoke`, {
      ...{ as: await world.operator(), key: systemIds.next() },
      body: { reason: 'it calls home', effect: 'stop' },
    });
    expect(revoked.status, JSON.stringify(revoked.body)).toBe(200);
    expect(revoked.body.affected).toMatchObject([{ app_instance_id: id, organization_id: home.organizationId }]);
    stage.queued.length = 0;
    await guard();
    expect(await stateOf(id)).toMatchObject({ state: 'failed', failure_code: 'revoked' });
    expect(stage.queued).toMatchObject([{ type: 'app.oci_stop' }]);
    await guard();
    expect(await stateOf(id)).toMatchObject({ state: 'failed', attempts: expect.any(Number) });
    expect(stage.queued).toHaveLength(1);
  });

  it('whose launch stands still fails after the stall time, is tried again with another container, and not for ever', async () => {
    const { id, allocationId, workloadId } = await putInstance(world, home, { state: 'launching' });
    stage.time.aheadMs = 181_000;
    await guard();
    expect(await stateOf(id)).toMatchObject({ state: 'failed', failure_code: 'stalled' });
    stage.time.aheadMs = 0;
    await change(id, `moved_at = now() - interval '1 minute'`);
    await guard();
    // Its host has not said that the first container is gone.
    expect(await stateOf(id)).toMatchObject({ state: 'failed', workload_id: workloadId });
    await finisher({ allocationId, workloadId })('app.oci_stop', 'failed', { code: 'not_found', message: 'None.' });
    await guard();
    const again = await stateOf(id);
    expect(again).toMatchObject({ state: 'launching', attempts: 2 });
    expect(again.workload_id).not.toBe(workloadId);
    await change(id, `asked_at = now() - interval '16 minutes'`);
    stage.time.aheadMs = 181_000;
    await guard();
    await guard();
    stage.time.aheadMs = 0;
    expect(await stateOf(id)).toMatchObject({ state: 'failed', attempts: 2 });
  });

  it('that is released while it launches ignores the late result of the launch, and is over when its host has ended it', async () => {
    const { id, allocationId, workloadId } = await putInstance(world, home, { state: 'launching' });
    const finish = finisher({ allocationId, workloadId });
    const released = await write('POST', `/api/v1/app-instances/${id}/release`);
    expect(released.body.state).toBe('releasing');
    await finish('app.oci_launch', 'succeeded', { workload: { workload_id: workloadId, state: 'running' } });
    expect(await stateOf(id)).toMatchObject({ state: 'releasing' });
    await finish('app.oci_stop', 'succeeded', {});
    expect(await stateOf(id)).toMatchObject({ state: 'released', end_reason: 'user' });
    const { body } = await world.call('GET', `/api/v1/app-instances/${id}/timeline`, asOwner());
    expect(body.data.map(({ name }: { name: string }) => name)).toEqual(['release', 'lose']);
  });

  it('that has failed is ended again until its host confirms, and a container that starts late is ended', async () => {
    const { id, allocationId, workloadId } = await putInstance(world, home, { state: 'failed' });
    const finish = finisher({ allocationId, workloadId, instanceId: id });
    const later = async (seconds: number) => {
      stage.queued.length = 0;
      stage.time.aheadMs = seconds * 1_000;
      await guard();
      stage.time.aheadMs = 0;
      return stopsOf(workloadId).length;
    };
    expect(await later(0)).toBe(0);
    expect(await later(61)).toBe(1);
    expect(await later(61)).toBe(1);
    await finish('app.oci_stop', 'succeeded', {});
    expect(await later(61)).toBe(0);
    stage.queued.length = 0;
    await finish('app.oci_launch', 'succeeded', { workload: { workload_id: workloadId, state: 'running' } });
    expect(stopsOf(workloadId)).toHaveLength(1);
    expect(await stateOf(id)).toMatchObject({ state: 'failed' });
    expect(await later(61)).toBe(1);
  });

  it('ends a container of an earlier try that starts late, and goes on with its own', async () => {
    const { id, allocationId, workloadId } = await putInstance(world, home, { state: 'launching' });
    const earlier = systemIds.next();
    stage.queued.length = 0;
    const finish = finisher({ allocationId, workloadId: earlier, instanceId: id });
    await finish('app.oci_launch', 'succeeded', { workload: { workload_id: earlier, state: 'running' } });
    expect(stopsOf(earlier)).toMatchObject([{ params: { remove_volumes: false } }]);
    expect(stopsOf(workloadId)).toHaveLength(0);
    await finish('app.oci_launch', 'failed', { code: 'container_failed', message: 'It ended.' });
    expect(await stateOf(id)).toMatchObject({ state: 'launching', workload_id: workloadId });
  });

  it('that may not be tried again says why, once', async () => {
    const { id } = await putInstance(world, home, { state: 'failed' });
    await change(
      id,
      `failure_code = 'stalled', gone_workload_id = workload_id, moved_at = now() - interval '1 minute'`,
    );
    await asSystem(
      world.root,
      `update app_version_trust set state = 'revoked', revocation_reason = 'old', revocation_effect = 'let_run', version = version + 1
       where id = (select app_version_id from app_instances where id = $1)`,
      [id],
    );
    stage.queued.length = 0;
    await guard();
    await guard();
    expect(await stateOf(id)).toMatchObject({ state: 'failed', failure_code: 'app_not_launchable' });
    expect(stage.queued).toHaveLength(0);
    const { body } = await world.call('GET', `/api/v1/app-instances/${id}/timeline`, asOwner());
    expect(body.data).toMatchObject([{ name: 'give_up', detail: { code: 'app_not_launchable' } }]);
  });

  it('without its allocation is ended before anything else is looked at, then what has been due the longest', async () => {
    const [one, two, three] = [
      await putInstance(world, home, { state: 'running' }),
      await putInstance(world, home, { state: 'running' }),
      await putInstance(world, home, { state: 'running' }),
    ];
    await change(one.id, `probed_at = now() - interval '1 hour'`);
    await change(two.id, `probed_at = now() - interval '2 hours'`);
    await asSystem(world.root, `update allocations set state = 'releasing', version = version + 1 where id = $1`, [
      three.allocationId,
    ]);
    const viewer = systemViewer('app-guard', { correlationId: systemIds.next() });
    const limits = {
      stallSeconds: 180,
      recoverySeconds: 900,
      probeSeconds: 60,
      retrySeconds: 10,
      useReportedSeconds: 180,
    };
    const found = await stage.read(viewer, (tx) => listDue(tx, { ...limits, now: new Date(), retried: [], limit: 3 }));
    expect(found.map(({ id, due }) => [id, due])).toEqual([
      [three.id, 'allocation_ended'],
      [two.id, 'probe'],
      [one.id, 'probe'],
    ]);
    await guard();
  });

  it('is launched on an allocation by who created it, who has a grant for it, or an administrator', async () => {
    const { reference } = await putVersion(world, home, { trust: 'verified' });
    const allocation_id = await putWholeNode(world, home);
    const [mate, admin] = [await world.join('mate', home, 'member'), await world.join('chief', home, 'admin')];
    const launch = (as: string) =>
      world.call('POST', '/api/v1/app-instances', {
        ...{ as, key: systemIds.next(), headers: { 'x-project-id': home.projectId } },
        body: { app: reference, allocation_id },
      });
    expect((await launch(mate)).body.code).toBe('ownership_required');
    expect((await launch(admin)).status).toBe(201);
    const [{ id: mateId }] = (await world.root.query(`select id from users where oidc_subject = 'mate'`)).rows;
    const granted = await write('POST', `/api/v1/allocations/${allocation_id}/access-grants`, {
      ...{ user_id: mateId, reason: 'to help', expires_at: new Date(Date.now() + 3_600_000).toISOString() },
    });
    expect(granted.status, granted.text).toBe(201);
    expect((await launch(mate)).status).toBe(201);
    const endsAt = (at: string) =>
      asSystem(world.root, `update allocation_access_grants set expires_at = ${at} where id = $1`, [granted.body.id]);
    await endsAt('now()');
    expect((await launch(mate)).body.code).toBe('ownership_required');
    await endsAt(`now() + interval '1 hour'`);
    expect((await launch(mate)).status).toBe(201);
    await write('DELETE', `/api/v1/allocations/${allocation_id}/access-grants/${granted.body.id}`);
    expect((await launch(mate)).body.code).toBe('ownership_required');
    await asSystem(world.root, `update allocations set requested_by = $2, version = version + 1 where id = $1`, [
      ...[allocation_id, mateId],
    ]);
    expect((await launch(mate)).status).toBe(201);
  });

  it('has routes of its own organization and project alone, whatever the code says', async () => {
    const { id } = await putInstance(world, home, { state: 'running' });
    const other = await world.found('elsewhere');
    await expect(
      asSystem(
        world.root,
        `insert into app_routes (id, organization_id, project_id, app_instance_id, endpoint_name, label, route_family, client_auth_mode,
           target_port)
         values ($1, $2, $3, $4, 'other', 'other-1', 'browser', 'browser_oidc', 80)`,
        [systemIds.next(), other.organizationId, other.projectId, id],
      ),
    ).rejects.toThrow('foreign key');
  });

  it('is not asked for its log when it has no container, and is refused beside as many as a host lists', async () => {
    const waiting = await putInstance(world, home, { state: 'requested' });
    const asked = await write('POST', `/api/v1/app-instances/${waiting.id}/logs`, { tail_lines: 5 });
    expect(asked).toMatchObject({ status: 409, body: { code: 'app_instance_not_on_host' } });
    const { reference } = await putVersion(world, home, { trust: 'verified' });
    await asSystem(
      world.root,
      `insert into app_instances (id, organization_id, project_id, allocation_id, app_version_id, app_reference, app_version, requested_by,
         name, owns_allocation)
       select gen_random_uuid(), organization_id, project_id, allocation_id, app_version_id, app_reference, app_version, requested_by, name, false
       from app_instances, generate_series(1, 63) where id = $1`,
      [waiting.id],
    );
    const more = await write('POST', '/api/v1/app-instances', {
      app: reference,
      allocation_id: waiting.allocationId,
      parameters: { greeting: 'Hi' },
    });
    expect(more).toMatchObject({ status: 409, body: { code: 'app_instance_limit' } });
  });
});
