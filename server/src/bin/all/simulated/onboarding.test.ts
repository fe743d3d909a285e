import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestControlPlane, type TestControlPlane } from '../../../../../agent/src/testing/control-plane.ts';
import { silentLog } from '../../../kernel/telemetry/log.ts';
import { onboardFleet } from './onboarding.ts';
import { type LocalFleet, openSimulatedFleet } from './simulated-fleet.ts';

const plan = [{ name: 'local-slice-1', region: 'local', sku: 'h200-sxm-slice', model: 'H200' }] as const;
const digest = `sha256:${'ab'.repeat(32)}`;

let folder: string;
let plane: TestControlPlane;
let fleet: LocalFleet;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gpuaas-fleet-'));
  plane = await openTestControlPlane();
  fleet = await open();
});
afterEach(async () => {
  await fleet.close();
  await plane.close();
  await rm(folder, { recursive: true, force: true });
});
const open = async () => {
  const opened = await openSimulatedFleet({
    folder,
    pace: { speed: 100_000 },
    doorUrl: plane.url,
    log: silentLog,
  });
  await opened.grow(plan);
  return opened;
};

/** The operator's side of the api, with one node in it at most. It can be made to fail at one of its paths. */
function makeApi(failsAt?: string, silent = false) {
  const done: string[] = [];
  let node: Record<string, unknown> | undefined;
  const settings: { key: string }[] = [];
  let image = { slug: 'ubuntu', digest, skus: ['h200-sxm-slice'], active: false };
  const offer = () => ({
    node,
    token: plane.issueToken(),
    ca_fingerprint: plane.authority.fingerprint,
  });
  const change = (more: object) => {
    node = { ...node, ...more };
    return node;
  };
  const writes: Record<string, () => unknown> = {
    'POST /regions': () => ({}),
    'PUT /policies/node.simulated_allowed': () => settings.push({ key: 'node.simulated_allowed' }),
    'POST /nodes': () => {
      change({ id: plane.nodeId, name: 'local-slice-1', state: 'bootstrap_issued', schedulable: false });
      change({ cordon_reason: null, topology_at: null, slots: {} });
      return offer();
    },
    [`POST /nodes/${plane.nodeId}/enrolment-token`]: offer,
    [`POST /nodes/${plane.nodeId}/topology/discover`]: () => change({ topology_at: '2026-01-01T00:00:00Z' }),
    [`POST /nodes/${plane.nodeId}/slots/approve`]: () => change({ slots: { available: 8 } }),
    [`PUT /nodes/${plane.nodeId}/images/ubuntu`]: () => ({}),
    [`POST /nodes/${plane.nodeId}/publish`]: () => change({ schedulable: true }),
    'PATCH /os-images/ubuntu': () => {
      image = { ...image, active: true };
      return image;
    },
  };
  return {
    done,
    failsAt(path: string | undefined) {
      failsAt = path;
    },
    change,
    async call(method: string, path: string): Promise<unknown> {
      const what = `${method} ${path.replace('/api/v1/admin', '')}`;
      if (what.startsWith('GET /nodes')) {
        if (plane.seen.enrolments.length > 0 && node?.['state'] === 'bootstrap_issued')
          change({ state: 'active', ...(silent ? {} : { topology_at: '2026-01-01T00:00:00Z' }) });
        return { data: node ? [node] : [], next_cursor: null };
      }
      if (what.startsWith('GET /os-images')) return { data: [image] };
      if (what === 'GET /policies') return { settings };
      if (what.startsWith('GET /regions')) return { data: [{ slug: 'local' }] };
      if (what === failsAt) throw new Error('The process was killed.');
      done.push(what);
      return writes[what]?.();
    },
  };
}
const run = (api: ReturnType<typeof makeApi>, ready: string[] = []) =>
  onboardFleet({
    betweenRoundsMs: 0,
    answerWithinMs: 0,
    fleet,
    call: api.call,
    log: silentLog,
    signal: new AbortController().signal,
    onReady: (member) => ready.push(member.plan.name),
  });

describe('bringing a simulated host into service', () => {
  it('is what an operator would do, in the same order, and is done once', async () => {
    const api = makeApi();
    const ready: string[] = [];
    await run(api, ready);
    const of = `/nodes/${plane.nodeId}`;
    expect(api.done).toEqual([
      'POST /regions',
      'PUT /policies/node.simulated_allowed',
      'POST /nodes',
      `POST ${of}/slots/approve`,
      `PUT ${of}/images/ubuntu`,
      `POST ${of}/publish`,
      'PATCH /os-images/ubuntu',
    ]);
    expect(ready).toEqual(['local-slice-1']);
    api.done.length = 0;
    await run(api);
    expect(api.done).toEqual(['POST /regions']);
    expect(plane.seen.enrolments).toHaveLength(1);
  });

  it.each(['slots/approve', 'images/ubuntu', 'publish'])('goes on where it was cut off: %s', async (step) => {
    const api = makeApi(`${step.startsWith('images') ? 'PUT' : 'POST'} /nodes/${plane.nodeId}/${step}`);
    const ready: string[] = [];
    await run(api, ready);
    expect(ready).toEqual([]);
    await fleet.close();
    fleet = await open();
    api.failsAt(undefined);
    await run(api, ready);
    expect(ready).toEqual(['local-slice-1']);
    expect(api.done.filter((what) => what === 'POST /nodes')).toHaveLength(1);
    expect(api.done).toContain(`POST /nodes/${plane.nodeId}/publish`);
  });

  it('asks a host again what it is made of when it did not say so by itself', async () => {
    const api = makeApi(undefined, true);
    await run(api);
    expect(api.done).toContain(`POST /nodes/${plane.nodeId}/topology/discover`);
    expect(api.done).toContain(`POST /nodes/${plane.nodeId}/publish`);
  });

  it('is tried again by itself when a step did not succeed', async () => {
    const publish = `POST /nodes/${plane.nodeId}/publish`;
    const api = makeApi(publish);
    const ready: string[] = [];
    let refusals = 0;
    const call: typeof api.call = (method, path) => {
      if (`${method} ${path}`.endsWith('/publish')) {
        refusals += 1;
        if (refusals > 2) api.failsAt(undefined);
      }
      return api.call(method, path);
    };
    await run({ ...api, call }, ready);
    expect(ready).toEqual(['local-slice-1']);
    expect(api.done).toContain(publish);
  });

  it('asks for another token when the host was announced and never enrolled', async () => {
    const api = makeApi();
    await api.call('POST', '/api/v1/admin/nodes');
    await run(api);
    expect(api.done).toContain(`POST /nodes/${plane.nodeId}/enrolment-token`);
    expect(fleet.members[0]?.agent()?.nodeId).toBe(plane.nodeId);
  });

  it('leaves a host alone that an operator has cordoned', async () => {
    const api = makeApi();
    await run(api);
    api.change({ schedulable: false, cordon_reason: 'a loose fan' });
    api.done.length = 0;
    await run(api);
    expect(api.done).not.toContain(`POST /nodes/${plane.nodeId}/publish`);
  });
});
