import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { makeTestClock } from '../../../kernel/clock.ts';
import { systemIds } from '../../../kernel/id.ts';
import { openWorld, type World } from '../../../testing/world.ts';
import { placeNode } from '../../inventory/testing.ts';
import { hashEnrolmentToken } from './enrolment-tokens-store.ts';

let world: World;
let operator: string;
const clock = makeTestClock(new Date('2026-03-01T12:00:00Z'));
beforeAll(async () => {
  world = await openWorld({ clock });
  operator = await world.operator();
  const loaded = await admin('POST', 'catalog/defaults', { reason: 'a test' });
  expect(loaded.status, loaded.text).toBe(200);
});
afterAll(() => world.close());

const admin = (method: string, path: string, body: object) =>
  world.call(method, `/api/v1/admin/${path}`, { as: operator, key: systemIds.next(), body });
const region = 'test';
const create = (over: object = {}) =>
  admin('POST', 'nodes', { name: `n-${systemIds.next()}`, region, sku: 'h200-sxm-slice', ...over });
const place = (over: Partial<Parameters<typeof placeNode>[1]> = {}) =>
  placeNode(world.root, { sku: 'h200-sxm-slice', region, slots: [{}, {}], ...over });

describe('announcing a host', () => {
  it('answers once with all that it needs to enrol', async () => {
    const { status, body, text } = await create({ labels: { rack: 'a1' }, address: '192.0.2.7' });
    expect(status, text).toBe(201);
    expect(body.node).toMatchObject({ state: 'bootstrap_issued', gpus_total: 8, schedulable: false, slots: {} });
    expect(body.token).toMatch(/^gpuaas_node_[0-9a-f]{64}$/);
    expect(body.install_command).toContain(body.token);
    expect(parse(body.cloud_init)).toMatchObject({
      write_files: [{ content: expect.stringContaining(body.token), permissions: '0600' }],
    });
    const { rows } = await world.root.query('select * from node_enrolments where node_id = $1', [body.node.id]);
    expect(rows).toHaveLength(1);
    expect(rows[0].token_hash).toEqual(hashEnrolmentToken(body.token));
    expect(rows[0].expires_at).toEqual(new Date(clock.now().getTime() + 60 * 60_000));
    const audit = await world.root.query('select change::text as change from audit_logs where target_id = $1', [
      body.node.id,
    ]);
    expect(audit.rows[0].change).not.toContain(body.token);
  });

  it('refuses a name that is taken, and what nobody sells', async () => {
    const name = `n-${systemIds.next()}`;
    await create({ name });
    expect((await create({ name })).body.code).toBe('node_already_exists');
    expect((await create({ sku: 'nothing' })).body.code).toBe('sku_not_found');
    expect((await create({ region: 'nowhere' })).body.code).toBe('region_not_found');
    expect((await create({ sku: 'h200-sxm-baremetal-8g', gpus_total: 4 })).body.code).toBe('sku_invalid');
  });

  it.each(['$(touch /tmp/canary)', 'a;reboot', '-rf', "a'b", 'a\nb', 'Ä', '../a', 'a: b', '{{a}}', 'x'.repeat(254)])(
    'takes no host called %j, at no such address, with no such label',
    async (hostile) => {
      for (const body of [
        { name: hostile },
        { address: hostile },
        { labels: { rack: hostile } },
        { labels: { [hostile]: 'x' } },
      ]) {
        expect(await create(body)).toMatchObject({ status: 400, body: { code: 'validation_error' } });
      }
    },
  );

  it('issues another token, and the first one is void', async () => {
    const first = (await create()).body;
    const second = await admin('POST', `nodes/${first.node.id}/enrolment-token`, { purpose: 'enrol' });
    expect(second.status, second.text).toBe(201);
    expect(second.body.token).not.toBe(first.token);
    const { rows } = await world.root.query(
      'select token_hash, revoked_at is null as good from node_enrolments where node_id = $1 order by id',
      [first.node.id],
    );
    expect(rows).toEqual([
      { token_hash: hashEnrolmentToken(first.token), good: false },
      { token_hash: hashEnrolmentToken(second.body.token), good: true },
    ]);
    expect((await admin('POST', `nodes/${first.node.id}/enrolment-token`, { purpose: 'recover' })).body.code).toBe(
      'illegal_transition',
    );
  });

  it('lets a lost host recover, and gives an active one no token', async () => {
    const lost = await place({ state: 'offline' });
    expect((await admin('POST', `nodes/${lost}/enrolment-token`, { purpose: 'recover' })).body).toMatchObject({
      purpose: 'recover',
      node: { state: 'offline' },
    });
    const active = await place();
    expect((await admin('POST', `nodes/${active}/enrolment-token`, { purpose: 'recover' })).body.code).toBe(
      'illegal_transition',
    );
  });
});
