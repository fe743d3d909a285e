import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { actsOf } from '../../../kernel/act.ts';
import { systemIds } from '../../../kernel/id.ts';
import { asSystem, openWorld, type Tenant, type World } from '../../../testing/world.ts';
import { putVersion, testManifest } from '../../apps/testing.ts';
import { makeTakeUse } from '../index.ts';
import { putInstance } from '../testing.ts';
import { openStage, type Stage } from '../upgrades/testing.ts';

const hourMs = 3_600_000;
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
const read = (path: string, as = home) =>
  world.call('GET', path, { as: as.token, headers: { 'x-project-id': as.projectId } });
const take = (copy_id: string, uses: Parameters<ReturnType<typeof makeTakeUse>>[0]['uses']) =>
  makeTakeUse({ db: world.database.database, begin: actsOf('app-use', systemIds) })(
    { copy_id, uses },
    { correlationId: systemIds.next() },
  );
const routeOf = async (id: string, endpoint = 'api') =>
  (
    await world.root.query('select id from app_routes where app_instance_id = $1 and endpoint_name = $2', [
      ...[id, endpoint],
    ])
  ).rows[0].id as string;
const thisHour = () => new Date(Date.now() - (Date.now() % hourMs)).toISOString();
async function usesOf(id: string, some: { requests: number; tokens?: number; at?: Date; hour?: string }) {
  return {
    ...{ route_id: await routeOf(id), instance_id: id, hour: some.hour ?? thisHour() },
    last_at: (some.at ?? new Date()).toISOString(),
    ...{ requests: some.requests, failures: 1, bytes_in: 10 * some.requests, bytes_out: 100 * some.requests },
    units: { tokens: some.tokens ?? 0 },
  };
}

describe('the use of an app', () => {
  it('is the sum of what all copies of the proxy have counted, and a report that comes twice or late counts once', async () => {
    const { id } = await putInstance(world, home, { state: 'running' });
    const [one, two] = [systemIds.next(), systemIds.next()];
    await take(one, [await usesOf(id, { requests: 3, tokens: 30 })]);
    await take(one, [await usesOf(id, { requests: 5, tokens: 50 })]);
    await take(one, [await usesOf(id, { requests: 5, tokens: 50 })]);
    // It was made before the last one and came behind it.
    await take(one, [await usesOf(id, { requests: 3, tokens: 30 })]);
    await take(two, [await usesOf(id, { requests: 2, tokens: 7 })]);
    const { body } = await read(`/api/v1/app-instances/${id}/use`);
    expect(body.data).toMatchObject([
      {
        ...{ endpoint: 'api', app_version: '1.0.0', operating_mode: 'tenant_dedicated', requests: 7, failures: 2 },
        ...{ bytes_in: 70, bytes_out: 700, units: { tokens: 57 } },
      },
    ]);
    expect(body.data[0].correlation_id).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('is shown, with a sum that stays a count, when an app has given the largest numbers for months', async () => {
    const tenant = await world.found('boasting');
    const { id } = await putInstance(world, tenant, { state: 'running' });
    const most = await usesOf(id, { requests: 1, tokens: Number.MAX_SAFE_INTEGER });
    for (let copies = 0; copies < 3; copies += 1) {
      const uses = Array.from({ length: 400 }, (_, hours) => ({
        ...most,
        hour: new Date(Date.parse(most.hour) - hours * hourMs).toISOString(),
      }));
      await take(systemIds.next(), uses);
    }
    for (const path of [`/api/v1/app-instances/${id}/use`, '/api/v1/app-use']) {
      const shown = await read(path, tenant);
      expect([shown.status, shown.body.data?.[0]?.units]).toEqual([200, { tokens: Number.MAX_SAFE_INTEGER }]);
    }
  });

  it('is added up by app for the project, and is paged', async () => {
    const tenant = await world.found('pages');
    const one = await putInstance(world, tenant, { state: 'running' });
    const two = await putInstance(world, tenant, { state: 'running' });
    const before = new Date(Date.parse(thisHour()) - hourMs).toISOString();
    await take(systemIds.next(), [
      await usesOf(one.id, { requests: 4, tokens: 1 }),
      await usesOf(one.id, { requests: 6, tokens: 2, hour: before }),
      await usesOf(two.id, { requests: 1 }),
    ]);
    const first = await read('/api/v1/app-use?limit=1', tenant);
    expect(first.body).toMatchObject({ has_more: true, data: [{ instances: 1 }] });
    const second = await read(`/api/v1/app-use?limit=1&cursor=${first.body.next_cursor}`, tenant);
    const shown = [...first.body.data, ...second.body.data].map(({ app_reference, requests, units }) => [
      app_reference,
      [requests, units.tokens],
    ]);
    expect(Object.fromEntries(shown)).toEqual({ [one.reference]: [10, 3], [two.reference]: [1, 0] });
    const newest = await read(`/api/v1/app-instances/${one.id}/use?limit=1`, tenant);
    expect(newest.body.data).toMatchObject([{ requests: 4 }]);
    const older = await read(`/api/v1/app-instances/${one.id}/use?limit=1&cursor=${newest.body.next_cursor}`, tenant);
    expect(older.body.data).toMatchObject([{ requests: 6 }]);
  });

  it('belongs to who has the route, whatever the copy says, and is shown to nobody else', async () => {
    const other = await world.found('others');
    const theirs = await putInstance(world, other, { state: 'running' });
    const ours = await putInstance(world, home, { state: 'running' });
    const claimed = { ...(await usesOf(theirs.id, { requests: 9 })), instance_id: ours.id };
    expect(await take(systemIds.next(), [claimed])).toEqual({ stored: 0 });
    await take(systemIds.next(), [await usesOf(theirs.id, { requests: 9 })]);
    expect((await read(`/api/v1/app-instances/${theirs.id}/use`)).status).toBe(404);
    expect(JSON.stringify((await read('/api/v1/app-use')).body)).not.toContain(theirs.reference);
  });
});

describe('an instance that nobody uses', () => {
  const idle = async (lastUsedMinutesAgo?: number) => {
    const made = await putInstance(world, home, { state: 'running' });
    const lifecycle = { ...testManifest().lifecycle, idle_stop_minutes: 30 };
    const next = await putVersion(world, home, {
      ...{ appId: made.appId, version: '1.1.0', trust: 'verified' },
      change: { lifecycle },
    });
    await asSystem(
      world.root,
      `update app_instances set app_version_id = $2, ready_at = now() - interval '2 hours', probed_at = now(), version = version + 1 where id = $1`,
      [made.id, next.versionId],
    );
    if (lastUsedMinutesAgo !== undefined) {
      const at = new Date(Date.now() - lastUsedMinutesAgo * 60_000);
      await take(systemIds.next(), [await usesOf(made.id, { requests: 1, at })]);
    }
    await stage.guard();
    return {
      ...made,
      row: (await world.root.query('select state, end_reason from app_instances where id = $1', [made.id])).rows[0],
    };
  };

  it('is stopped after the time of its manifest with its volumes kept, and starts again', async () => {
    stage.queued.length = 0;
    const { id, allocationId, workloadId, row } = await idle(40);
    expect(row).toEqual({ state: 'stopping', end_reason: 'idle' });
    expect(stage.queued).toMatchObject([{ type: 'app.oci_stop', params: { remove_volumes: false } }]);
    await stage.finish({ allocationId, workloadId }, 'app.oci_stop', 'succeeded', {});
    const started = await world.call('POST', `/api/v1/app-instances/${id}/start`, {
      ...{ as: home.token, key: systemIds.next() },
    });
    expect(started.body).toMatchObject({ state: 'launching', end_reason: null });
  });

  it('is not stopped while it was used within that time, or when its manifest names none', async () => {
    expect((await idle(20)).row).toEqual({ state: 'running', end_reason: null });
    // It was idle for the time, and a copy of the proxy may not have reported the last minutes.
    expect((await idle(31)).row).toEqual({ state: 'running', end_reason: null });
    const always = await putInstance(world, home, { state: 'running' });
    await asSystem(
      world.root,
      `update app_instances set ready_at = now() - interval '9 days', probed_at = now(), version = version + 1 where id = $1`,
      [always.id],
    );
    await stage.guard();
    const { rows } = await world.root.query('select state from app_instances where id = $1', [always.id]);
    expect(rows).toEqual([{ state: 'running' }]);
  });

  it('that was never used is idle since it was ready', async () => {
    expect((await idle()).row).toEqual({ state: 'stopping', end_reason: 'idle' });
  });
});
