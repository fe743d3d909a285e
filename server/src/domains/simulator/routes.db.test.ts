import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemIds } from '../../kernel/id.ts';
import { absentHost } from '../../testing/fleet-double.ts';
import { openWorld, type World } from '../../testing/world.ts';

let world: World;
let operator: string;
beforeAll(async () => {
  world = await openWorld();
  operator = await world.operator();
});
afterAll(() => world.close());
const send = (method: string, path: string, body?: object) =>
  world.call(method, `/api/v1/sim${path}`, { as: operator, key: systemIds.next(), ...(body && { body }) });

describe('the fault panel', () => {
  it('breaks a host and mends it, one fault at a time or all at once', async () => {
    const id = systemIds.next();
    await send('POST', `/nodes/${id}/faults`, { fault: 'xid_79', slot_index: 3 });
    const both = await send('POST', `/nodes/${id}/faults`, { fault: 'leaky_bridge', once: true });
    expect(both.body.faults).toMatchObject([
      { fault: 'xid_79', once: false, slot_index: 3 },
      { fault: 'leaky_bridge', once: true, slot_index: 0 },
    ]);
    const one = await send('DELETE', `/nodes/${id}/faults`, { fault: 'xid_79' });
    expect(one.body.faults).toMatchObject([{ fault: 'leaky_bridge' }]);
    expect((await send('DELETE', `/nodes/${id}/faults`, {})).body.faults).toEqual([]);
    expect((await send('POST', `/nodes/${id}/agent`, { state: 'stopped' })).body.agent).toBe('stopped');
    const seen = await world.call('GET', '/api/v1/sim/nodes', { as: operator });
    expect(seen.body.data).toContainEqual(expect.objectContaining({ node_id: id, agent: 'stopped' }));
  });

  it('says who did what to which host', async () => {
    const id = systemIds.next();
    await send('POST', `/nodes/${id}/faults`, { fault: 'disk_full' });
    const { rows } = await world.root.query(
      `select action, result from audit_logs where target_type = 'node' and target_id = $1`,
      [id],
    );
    expect(rows).toEqual([{ action: 'simulator.set_fault', result: 'success' }]);
  });

  it.each([
    ['a host that is not there', `/nodes/${absentHost}/faults`, { fault: 'xid_79' }, 404, 'node_not_found'],
    ['a fault that nobody knows', `/nodes/${absentHost}/faults`, { fault: 'gremlins' }, 400, 'validation_error'],
    ['a ninth GPU', `/nodes/${absentHost}/faults`, { fault: 'xid_79', slot_index: 8 }, 400, 'validation_error'],
    ['time that stands still', '/speed', { speed: 0 }, 400, 'validation_error'],
  ])('refuses %s', async (_, path, body, status, code) => {
    expect(await send('POST', path, body)).toMatchObject({ status, body: { code } });
  });
});

describe('an api without a simulated fleet', () => {
  it('has no such paths', async () => {
    const real = await openWorld({ beside: world, simulator: false });
    try {
      for (const [method, path] of [
        ['GET', '/nodes'],
        ['POST', '/speed'],
        ['DELETE', `/nodes/${absentHost}/faults`],
      ] as const) {
        const reply = await real.call(method, `/api/v1/sim${path}`, { as: operator, key: systemIds.next() });
        expect(reply).toMatchObject({ status: 404, body: { code: 'route_not_found' } });
      }
    } finally {
      await real.close();
    }
  });
});
