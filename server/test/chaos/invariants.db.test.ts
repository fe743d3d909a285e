import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { brokenInvariants, invariants } from '../../../tools/chaos/invariants.ts';
import { systemIds } from '../../src/kernel/id.ts';
import { openWorld, type Tenant, type World } from '../../src/testing/world.ts';

/** An invariant that was never seen broken might as well say nothing. Each is broken here, behind the guards' back. */
let world: World;
let acme: Tenant;
beforeAll(async () => {
  world = await openWorld();
  acme = await world.found('acme');
  for (const how of ['archive', 'restore']) {
    const path = `/api/v1/projects/${acme.projectId}/${how}`;
    const reply = await world.call('POST', path, { as: acme.token, key: systemIds.next(), body: {} });
    expect(reply.status, reply.text).toBe(200);
  }
});
afterAll(() => world.close());

const addAudit = `insert into audit_logs
    (id, actor_id, actor_kind, actor_role, action, target_type, target_id, result, correlation_id, change)
  values ($1, 'test', 'system', 'system', $2, 'project', $3, 'success', 'test', $4)`;
const addEvent = `insert into outbox_events (event_id, message_id, subject, key, envelope, created_at)
  values ($1::uuid, 'test', $2, $3, '{}', clock_timestamp() - interval '1 minute')`;
const audit = (action: string, change: object) =>
  world.root.query(addAudit, [systemIds.next(), action, acme.projectId, JSON.stringify(change)]);

/** Rows that no door would let in: constraints between tables are off while an invariant is broken. */
const addAllocation = async (state: string, gpus = 1): Promise<string> => {
  const id = systemIds.next();
  await world.root.query(
    `insert into allocations (id, organization_id, project_id, name, requested_by, state, placement_status, sku,
       capacity_shape, gpu_count, region, unit_price_minor, currency, node_id, generation, isolation_model, failure_code,
       updated_at)
     values ($1, $2, $3, 'x', 'x', $4, 'leased', 'x', 'gpu_slice', $5, 'x', 1, 'USD', $1, 1, 'user-revoke', 'x',
       clock_timestamp() - interval '2 minutes')`,
    [id, acme.organizationId, acme.projectId, state, gpus],
  );
  return id;
};
const addSlot = async (allocation: string | null, state: string, numa = 0): Promise<string> => {
  const id = systemIds.next();
  await world.root.query(
    `insert into slots (id, node_id, slot_index, state, allocation_id, gpu_uuid, gpu_model, gpu_memory_mib, pci_address,
       numa_node)
     values ($1, $1, 0, $2, $3, 'GPU-' || gen_random_uuid(), 'x', 1, '0000:00:00.0', $4)`,
    [id, state, allocation, numa],
  );
  return id;
};
const addClaim = (allocation: string, slot: string) =>
  world.root.query(
    `insert into allocation_claims (id, allocation_id, organization_id, slot_id, node_id, kind, generation)
     values (gen_random_uuid(), $1, $2, $3, $3, 'slot', 1)`,
    [allocation, acme.organizationId, slot],
  );

const breaks: Readonly<Record<string, () => Promise<unknown>>> = {
  'I6 edges': () => audit('project.test', { state: ['deleted', 'active'] }),
  'I6 paths': () => world.root.query(`update projects set state = 'archived'`),
  'I6 versions': () => world.root.query('update projects set version = version + 1'),
  'I7 one audit row per transaction': async () => {
    await audit('test.one', {});
    await audit('test.two', {});
  },
  'I7 audited rows': () => world.root.query('update organizations set name = name'),
  'I8 events are on their way': () => world.root.query(addEvent, [systemIds.next(), 'tenancy.stuck', 'k']),
  'I9 effects once': () =>
    world.root.query('insert into consumed_events (consumer, event_id) values ($1, $2)', ['test', systemIds.next()]),
  'I9 removed once': () => world.root.query(addEvent, [systemIds.next(), 'tenancy.project.removed', acme.projectId]),
  'I10 one resource per key': () =>
    world.root.query(`update idempotency_records set body = (select min(body) from idempotency_records where status = 201)
      where status = 201`),
  'I1 slots of the living': () => addAllocation('active'),
  'I1 claims': async () => addSlot(await addAllocation('active'), 'in_use'),
  'I2 one NUMA group': async () => {
    const allocation = await addAllocation('active', 2);
    for (const numa of [0, 1]) await addClaim(allocation, await addSlot(allocation, 'in_use', numa));
  },
  'I6 timelines': () => addAllocation('failed'),
  'I11 fenced results': () =>
    world.root.query(
      `insert into node_tasks (id, node_id, task_type, generation, state, envelope, result, correlation_id, issued_at,
         expires_at)
       values (gen_random_uuid(), gen_random_uuid(), 'x', 2, 'succeeded', '{}',
         '{"generation": 1, "outcome": "succeeded"}', 'x', now(), now())`,
    ),
  'I12 nothing waits for nobody': () => addAllocation('provisioning'),
  'I13 charged once': async () => {
    const id = await addAllocation('failed');
    for (const sequence of [1, 2]) {
      await world.root.query(
        `insert into usage_evidence (allocation_id, organization_id, node_id, generation, sequence, from_at, to_at,
           counts_from, counts_to, gpus, record, digest, result_key)
         select $1, $2, $1, 1, $3, t, t + interval '2 minutes', t, t + interval '2 minutes', 1, 'x', sha256('x'), 'x'
         from (select now() - interval '1 hour' + $3 * interval '1 minute' as t) at`,
        [id, acme.organizationId, sequence],
      );
    }
  },
};
const ask = async (text: string) => (await world.root.query(text)).rows as object[];

describe('an invariant', () => {
  it('holds while everything goes through the front door', async () => {
    expect(await brokenInvariants(ask)).toEqual([]);
  });

  it('is broken here if it is in the list at all', () => {
    expect(Object.keys(breaks).sort()).toEqual(invariants.map(({ name }) => name).sort());
  });

  it.each(invariants.map(({ name }) => name))('says so when it is broken: %s', async (name) => {
    await world.root.query('begin');
    try {
      await world.root.query('set local session_replication_role = replica');
      await breaks[name]?.();
      const broken = await brokenInvariants(ask);
      expect(broken.map((each) => each.name)).toContain(name);
    } finally {
      await world.root.query('rollback');
    }
  });
});
