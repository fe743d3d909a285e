import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemIds } from '../../../kernel/id.ts';
import { asSystem, auditedChange, openWorld, type Tenant, type World } from '../../../testing/world.ts';
import { passProbe, placeNode } from '../../inventory/testing.ts';

/** A slot that was used returns to sale with the host's proof of its wipe, or by a decision that it shows. */
let world: World;
let operator: string;
let home: Tenant;
beforeAll(async () => {
  world = await openWorld({ policies: { 'auth.step_up_enabled': true } });
  operator = await world.operator();
  home = await world.found('home');
  expect((await post('catalog/defaults', { reason: 'a test' })).status).toBe(200);
});
afterAll(() => world.close());

const because = { reason: 'a test' };
const post = (path: string, body: object, as = operator) =>
  world.call('POST', `/api/v1/admin/${path}`, { as, key: systemIds.next(), body });
const set = (slot: string, state: string) =>
  asSystem(world.root, 'update slots set state = $2, version = version + 1, updated_at = now() where id = $1', [
    slot,
    state,
  ]);

/** A host with one slot that an allocation used, and whose cleaning was not proven. */
async function blocked(aside: 'cleanup_blocked' | 'quarantined' = 'cleanup_blocked') {
  const node = await placeNode(world.root, { sku: 'h200-sxm-slice', region: 'test', slots: [{}] });
  const { rows } = await world.root.query('select id from slots where node_id = $1', [node]);
  const slot = rows[0].id as string;
  const allocation = systemIds.next();
  await world.root.query('set session_replication_role = replica');
  await world.root.query(
    `insert into allocations (id, organization_id, project_id, name, requested_by, state, placement_status, sku,
       capacity_shape, gpu_count, region, unit_price_minor, currency, node_id, generation, isolation_model, ended_at, failure_code)
     values ($1, $2, $3, 'a', 'u', 'failed', 'freed', 'h200-sxm-slice', 'gpu_slice', 1, 'test', 450, 'USD', $4, 1,
       'user-revoke', now(), 'no_answer')`,
    [allocation, home.organizationId, home.projectId, node],
  );
  await world.root.query('set session_replication_role = origin');
  await asSystem(
    world.root,
    `update slots set state = 'reserved', version = version + 1, allocation_id = $2, generation = 1 where id = $1`,
    [slot, allocation],
  );
  await set(slot, 'in_use');
  await set(slot, aside);
  await passProbe(world.root, node);
  const path = `nodes/${node}/slots/${slot}`;
  const see = async () =>
    (await world.call('GET', `/api/v1/admin/nodes/${node}/resource-slots`, { as: operator })).body.data[0];
  return { node, slot, allocation, path, see };
}

const proven = { passed: true, detail: 'seen' };
/** A task of the host that ended, with its output. */
async function settle(
  of: { readonly node: string; readonly allocation?: string; readonly generation?: number },
  type: string,
  output: object,
): Promise<string> {
  const id = systemIds.next();
  await asSystem(
    world.root,
    `insert into node_tasks (id, node_id, organization_id, allocation_id, task_type, generation, envelope, correlation_id,
       issued_at, expires_at, created_at)
     values ($1, $2, $3, $4, $5, $6, '{}', 'wipe', now(), now() + interval '1 hour', now() + interval '1 second')`,
    [id, of.node, of.allocation ? home.organizationId : null, of.allocation ?? null, type, of.generation ?? 1],
  );
  for (const state of ['dispatched', 'succeeded']) {
    await asSystem(
      world.root,
      `update node_tasks set state = $2, version = version + 1, dispatched_at = now(), finished_at = now(), result = $3
       where id = $1`,
      [id, state, { output }],
    );
  }
  return id;
}
const emptied = { machine_absent: proven, disk_wiped: proven, devices_unbound: proven, reimaged: null };

describe('a slot that was used and not proven clean', () => {
  it.each(['cleanup_blocked', 'quarantined'] as const)(
    'owes a wipe when it is %s, and neither a probe nor quarantine settles that',
    async (aside) => {
      const { slot, path, see } = await blocked(aside);
      expect(await see()).toMatchObject({ wipe_owed_since: expect.any(String), wipe_proof_task_id: null });
      expect(await post(`${path}/clear`, because)).toMatchObject({ status: 409, body: { code: 'wipe_unproven' } });
      if (aside === 'cleanup_blocked') {
        expect((await post(`${path}/quarantine`, because)).body).toMatchObject({ state: 'quarantined' });
        expect((await post(`${path}/clear`, because)).body.code).toBe('wipe_unproven');
      }
      // The database refuses it too, whoever asks.
      await expect(
        asSystem(
          world.root,
          `update slots set state = 'available', allocation_id = null, version = version + 1 where id = $1`,
          [slot],
        ),
      ).rejects.toThrow('owes a wipe');
      await world.root.query('rollback');
    },
  );

  it('is cleared with the proof of the end of its last lease, and not with that of another', async () => {
    const { node, allocation, path, see } = await blocked();
    await settle({ node, allocation, generation: 7 }, 'slice.vm_release', emptied);
    await settle({ node, allocation }, 'slice.vm_release', { ...emptied, disk_wiped: { passed: false, detail: 'no' } });
    expect((await post(`${path}/clear`, because)).body.code).toBe('wipe_unproven');
    const task = await settle({ node, allocation }, 'slice.vm_release', emptied);
    expect(await see()).toMatchObject({ wipe_proof_task_id: task });
    const cleared = await post(`${path}/clear`, because);
    expect(cleared.body).toMatchObject({ state: 'available', wipe_owed_since: null, wipe_waived: null });
    const { rows } = await world.root.query(`select ${auditedChange} from audit_logs l where correlation_id = $1`, [
      cleared.headers['x-request-id'],
    ]);
    expect(rows[0].change).toMatchObject({ wipe_proof_task_id: task });
  });

  it('is cleared after the whole host was imaged again', async () => {
    const { node, path } = await blocked('quarantined');
    await settle({ node }, 'node.reimage_prepare', { reimaged: { passed: false, detail: 'no' } });
    expect((await post(`${path}/clear`, because)).body.code).toBe('wipe_unproven');
    await settle({ node }, 'node.reimage_prepare', { reimaged: proven });
    expect((await post(`${path}/clear`, because)).body).toMatchObject({ state: 'available' });
  });
});

describe('the decision to sell a slot without proof of its wipe', () => {
  it('needs a recent sign-in, and stays on the slot until its next wipe is proven', async () => {
    const { slot, allocation, path, see } = await blocked();
    const hourAgo = Math.floor(Date.now() / 1_000) - 3_600;
    const stale = await world.token('operator', { auth_time: hourAgo });
    expect((await post(`${path}/clear-unproven`, because, stale)).body.code).toBe('step_up_required');
    const decided = await post(`${path}/clear-unproven`, { reason: 'the disk was replaced' });
    expect(decided.body).toMatchObject({
      ...{ state: 'available', wipe_owed_since: null },
      wipe_waived: { by: expect.any(String), at: expect.any(String), reason: 'the disk was replaced' },
    });
    expect((await post(`${path}/clear-unproven`, because)).body.code).toBe('illegal_transition');
    const used = async (...states: readonly string[]) => {
      for (const state of states) await set(slot, state);
    };
    await asSystem(
      world.root,
      `update slots set state = 'reserved', version = version + 1, allocation_id = $2, generation = 2 where id = $1`,
      [slot, allocation],
    );
    await used('in_use', 'cleaning');
    expect(await see()).toMatchObject({ wipe_waived: { reason: 'the disk was replaced' } });
    await asSystem(
      world.root,
      `update slots set state = 'available', version = version + 1, allocation_id = null where id = $1`,
      [slot],
    );
    expect(await see()).toMatchObject({ state: 'available', wipe_waived: null, wipe_owed_since: null });
  });

  it('is not offered for a slot that owes nothing', async () => {
    const node = await placeNode(world.root, { sku: 'h200-sxm-slice', region: 'test', slots: [{}] });
    const { rows } = await world.root.query('select id from slots where node_id = $1', [node]);
    await set(rows[0].id, 'quarantined');
    await passProbe(world.root, node);
    const path = `nodes/${node}/slots/${rows[0].id}`;
    expect((await post(`${path}/clear-unproven`, because)).body.code).toBe('illegal_transition');
    expect((await post(`${path}/clear`, because)).body).toMatchObject({ state: 'available' });
  });
});
