import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gpuaas, GpuaasError, openGpuaas } from '../../../sdk/typescript/src/index.ts';
import { eventually } from '../../src/domains/outbox/testing.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { systemIds } from '../../src/kernel/id.ts';
import { freePort } from '../chaos/children.ts';
import { endAll, type Started, start } from './support/npm-start.ts';
import { signIn } from './support/sign-in.ts';
import { publicKey } from './support/ssh-key.ts';
import { type Watch, watchEvents } from './support/watch-events.ts';

/**
 * The product's main sentence, told over HTTP alone against what `npm start` starts: somebody asks for GPUs and gets
 * proven ones, or a reason.
 */
const patience = 120_000;
const lookEveryMs = 200;
const wholeLife = ['requested', 'provisioning', 'active', 'releasing', 'released'];
const slice = { sku: 'h200-sxm-slice', region: 'local' } as const;
const metal = { sku: 'h200-sxm-baremetal-8g', region: 'north' } as const;

let started: Started;
let owner: Gpuaas;
let member: Gpuaas;
let organization: string;
let operator: Gpuaas;
let watch: Watch;

beforeAll(async () => {
  started = await start(['--ephemeral', '--bare', '--port', String(await freePort()), '--host-speed', '200']);
  const [password = ''] = started.fact('Password').split(' ');
  const baseUrl = started.fact('URL');
  const tokenOf = async (login: string) => (await signIn(baseUrl, { login, password })).access_token;
  operator = openGpuaas({ baseUrl, token: await tokenOf('operator') });
  const token = await tokenOf('owner');
  const visitor = openGpuaas({ baseUrl, token });
  const organization_id = (await visitor.me.get()).organizations.find(({ slug }) => slug === 'demo')?.id ?? '';
  const project = (await visitor.projects.list({ organization_id })).data.find(({ slug }) => slug === 'playground')?.id;
  owner = openGpuaas({ baseUrl, token, project });
  member = openGpuaas({ baseUrl, token: await tokenOf('member'), project });
  organization = organization_id;
  watch = await watchEvents(baseUrl, token, project ?? '');
  await eventually(async () => {
    await systemClock.sleep(lookEveryMs);
    const nodes = (await operator.adminNodes.list()).data;
    return nodes.length === 3 && nodes.every(({ state, schedulable }) => state === 'active' && schedulable);
  });
}, patience);
afterAll(async () => {
  await watch?.close();
  await endAll();
}, patience);

type Wish = Parameters<Gpuaas['allocations']['create']>[0];
const refusal = async (asked: Promise<unknown>): Promise<GpuaasError> => {
  const error = await asked.then(
    (value) => new Error(`it was not refused: ${JSON.stringify(value)}`),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof GpuaasError)) throw error;
  return error;
};
const get = (allocation_id: string) => owner.allocations.get({ allocation_id });
async function activate(wish: Wish): Promise<string> {
  const { id } = await owner.allocations.create(wish);
  await watch.until(id, 'provisioning.active');
  return id;
}
async function release(allocation_id: string): Promise<void> {
  await owner.allocations.release({ allocation_id });
  await watch.until(allocation_id, 'provisioning.releasing.completed');
  expect(await get(allocation_id)).toMatchObject({ state: 'released', placement_status: 'freed' });
}
const transitionsOf = async (allocation_id: string) => {
  const states: (string | null)[] = [];
  for await (const item of owner.allocations.timeline({ allocation_id })) {
    if (item.kind === 'transition') states.push(item.to_state);
  }
  return states;
};
/** How many slots of the node are in which state, once the node has as many as that in `state`. */
const untilSlots = (node: string, state: string, count: number) =>
  eventually(async () => {
    await systemClock.sleep(lookEveryMs);
    const { slots } = await operator.adminNodes.get({ node_id: node });
    return (slots as Record<string, number>)[state] === count ? slots : undefined;
  });
const nodeNamed = async (name: string) => {
  const node = (await operator.adminNodes.list()).data.find((each) => each.name === name);
  if (!node) throw new Error(`there is no node ${name}`);
  return node.id;
};

describe('the life of an allocation', () => {
  it(
    'is planned, asked for, watched through its phases, proven, used, and given back',
    async () => {
      const wish = { ...slice, gpus: 4, name: 'training', max_duration_seconds: 3_600 };
      const plan = await owner.allocations.plan(wish);
      expect(plan).toMatchObject({ feasible: true, decision: { outcome: 'placed', chosen: { numa_groups: 1 } } });
      expect((await owner.allocations.list()).data).toEqual([]);

      const asked = await owner.allocations.create(wish);
      expect(asked).toMatchObject({ placement_status: 'reserved', gpu_count: 4, price: plan.price });
      await watch.until(asked.id, 'provisioning.active');
      const types = watch.seen(asked.id).map(({ type }) => type);
      expect(types[0]).toBe('provisioning.requested');
      expect(types.filter((type) => type === 'provisioning.phase').length).toBeGreaterThan(1);
      expect(types).not.toContain('provisioning.failed');

      const active = await get(asked.id);
      const proof = { passed: true, gpus: 4, simulated: true };
      expect(active).toMatchObject({ state: 'active', placement_status: 'leased', simulated: true, receipt: proof });
      expect(watch.seen(asked.id).every(({ payload }) => payload.simulated === true)).toBe(true);
      expect(active.access).toMatchObject({ reachable: true, port: expect.any(Number) });
      const [receipt] = (await owner.allocations.attestations({ allocation_id: asked.id })).data;
      expect(receipt).toMatchObject({ id: active.receipt?.attestation_id, passed: true, problems: [] });
      expect(receipt?.signed_result).toMatchObject({
        outcome: 'succeeded',
        signature: expect.stringMatching(/^[\w-]{86}$/),
      });

      await owner.allocations.extend({ allocation_id: asked.id, seconds: 600 });
      const extended = await get(asked.id);
      expect(Date.parse(extended.expires_at ?? '') - Date.parse(active.expires_at ?? '')).toBe(600_000);
      await owner.allocations.restart({ allocation_id: asked.id });
      expect((await watch.until(asked.id, 'provisioning.attested')).payload).toMatchObject({
        occasion: 'restart',
        passed: true,
      });
      expect(await get(asked.id)).toMatchObject({ state: 'active' });

      await release(asked.id);
      expect(await transitionsOf(asked.id)).toEqual(wholeLife);
      const again = await refusal(owner.allocations.release({ allocation_id: asked.id }));
      expect([again.status, again.code]).toEqual([409, 'illegal_transition']);
    },
    patience,
  );

  it(
    'is the same for a whole host, and for a group that comes and goes as one',
    async () => {
      const whole = await activate({ ...metal, gpus: 8, name: 'whole host' });
      expect(await get(whole)).toMatchObject({ capacity_shape: 'baremetal', receipt: { passed: true, gpus: 8 } });

      const tooMuch = await refusal(
        owner.allocationGroups.create({
          name: 'more than there is',
          members: [
            { ...slice, gpus: 1 },
            { ...metal, gpus: 8 },
          ],
        }),
      );
      expect(tooMuch.code).toBe('sku_unavailable');
      const one = { ...slice, gpus: 2 };
      const group = await owner.allocationGroups.create({ name: 'three of a kind', members: [one, one, one] });
      const members = group.allocations.map(({ id }) => id);
      await Promise.all(members.map((id) => watch.until(id, 'provisioning.active')));
      const of = { allocation_group_id: group.id };
      expect(await owner.allocationGroups.get(of)).toMatchObject({ status: 'active', members: { active: 3 } });

      await owner.allocationGroups.release(of);
      await owner.allocations.release({ allocation_id: whole });
      await Promise.all([whole, ...members].map((id) => watch.until(id, 'provisioning.releasing.completed')));
      expect(await owner.allocationGroups.get(of)).toMatchObject({ status: 'released', members: { released: 3 } });
      expect(await transitionsOf(whole)).toEqual(wholeLife);
      // Nothing of the group that was refused is left.
      expect((await owner.allocationGroups.list()).data.map(({ id }) => id)).toEqual([group.id]);
    },
    patience,
  );

  it(
    'ends with a reason when its host cannot prove it: nothing was active, and its slots are looked at first',
    async () => {
      const node_id = await nodeNamed('north-metal-1');
      await operator.simulator.faultSet({ node_id, fault: 'gpu_missing', slot_index: 3 });
      const { id } = await owner.allocations.create({ ...metal, gpus: 8 });
      const failed = await watch.until(id, 'provisioning.failed', 'provisioning.active');
      expect(failed).toMatchObject({ type: 'provisioning.failed', payload: { failure_code: 'gpu_missing' } });
      expect(await get(id)).toMatchObject({
        ...{ state: 'failed', active_at: null, receipt: null },
        failure: { code: 'gpu_missing', reason: expect.stringContaining('GPU') },
      });
      expect(watch.seen(id).map(({ type }) => type)).not.toContain('provisioning.active');
      expect(await untilSlots(node_id, 'quarantined', 8)).toEqual({ quarantined: 8 });
      const plan = await owner.allocations.plan({ ...metal, gpus: 8 });
      expect(plan).toMatchObject({ feasible: false, decision: { outcome: 'refused' } });
    },
    patience,
  );

  it(
    'waits with a place in the queue when nothing is free, and begins when something is',
    async () => {
      // Two hosts with eight GPUs each, sold by four at the most.
      const full = await Promise.all(Array.from({ length: 4 }, () => activate({ ...slice, gpus: 4 })));
      const refused = await refusal(owner.allocations.create({ ...slice, gpus: 4 }));
      expect([refused.status, refused.code]).toEqual([409, 'sku_unavailable']);
      const waiting = await owner.allocations.create({ ...slice, gpus: 4, queue: { max_wait_seconds: 600 } });
      expect(await get(waiting.id)).toMatchObject({
        ...{ state: 'requested', placement_status: 'queued' },
        queue: { position: 1, reason: expect.any(String) },
      });
      const [first = '', ...others] = full;
      await release(first);
      await watch.until(waiting.id, 'provisioning.active');
      expect(await get(waiting.id)).toMatchObject({ state: 'active', queue: null });
      await Promise.all([waiting.id, ...others].map(release));
    },
    patience,
  );

  it(
    'may be called anything: a name is text, and nobody runs it, indents it or renders it',
    async () => {
      const canary = join(tmpdir(), `gpuaas-canary-${systemIds.next()}`);
      const names = [
        `$(touch ${canary}); \`id\` && rm -rf ~ | "x" \\`,
        `- &a *a {b: !!js/function 'x'} # "comment": | > %TAG`,
        '<img src=x onerror=alert(1)></script><b>&amp;',
      ];
      const made = await Promise.all(names.map((name) => owner.allocations.create({ ...slice, gpus: 1, name })));
      await Promise.all(made.map(({ id }) => watch.until(id, 'provisioning.active')));
      expect((await Promise.all(made.map(({ id }) => get(id)))).map(({ name }) => name)).toEqual(names);
      await Promise.all(made.map(({ id }) => release(id)));
      expect(existsSync(canary)).toBe(false);
      const control = await refusal(owner.allocations.create({ ...slice, gpus: 1, name: 'a\nb' }));
      expect(control.code).toBe('validation_error');
    },
    patience,
  );

  it(
    'keeps no SSH key of a person who left the organization',
    async () => {
      const { id: key } = await member.sshKeys.add({ public_key: publicKey() });
      const { id } = await member.allocations.create({ ...slice, gpus: 1, ssh_key_ids: [key] });
      await watch.until(id, 'provisioning.active');
      expect((await get(id)).ssh_keys.map(({ ssh_key_id }) => ssh_key_id)).toEqual([key]);
      await owner.members.remove({ organization_id: organization, user_id: (await member.me.get()).id });
      await eventually(async () => {
        await systemClock.sleep(lookEveryMs);
        return (await get(id)).ssh_keys.length === 0;
      });
      await release(id);
    },
    patience,
  );
});
