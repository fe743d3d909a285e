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
