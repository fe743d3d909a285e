import { nodeTaskKinds, OciWorkload, ociPhases, type TaskParams } from '@gpuaas/contract/node';
import { Check } from 'typebox/value';
import { describe, expect, it } from 'vitest';
import { failureOf, first, makeWork, type Suite, second } from './conformance-rig.ts';
import type { Host, Work } from './port.ts';

const id = (number: number) => `0191b2c4-1111-7000-8000-${String(number).padStart(12, '0')}`;
/** A host that names its registries has to name this one. */
const registry = 'registry.test:5000';

/** An order that every host can carry out. */
export const workloadOrder = (
  number: number,
  more: Partial<TaskParams<'app.oci_launch'>> = {},
): TaskParams<'app.oci_launch'> => ({
  allocation_id: first,
  workload_id: id(number),
  labels: { instance_id: id(900), component: 'web', correlation_id: id(901) },
  image: `${registry}/apps/web@sha256:${'c'.repeat(64)}`,
  command: ['/bin/serve', '--port', '8080'],
  args: ['$HOME', '-x', '; touch /tmp/y'],
  env: [{ name: 'TOKEN', value: 'a "quoted" $value #1' }],
  user: { uid: 10_001, gid: 10_001 },
  root: { kind: 'read_only' },
  ports: [{ name: 'http', port: 8_080 }],
  volumes: [{ name: 'data', path: '/data', size_mib: 16, read_only: false }],
  limits: { cpu_millis: 500, memory_mib: 64, pids: 32, shm_mib: 8, scratch_mib: 8 },
  gpu_uuids: [],
  egress: 'none',
  pull_seconds: 60,
  ...more,
});
const stopOrder = (number: number) => ({
  allocation_id: first,
  workload_id: id(number),
  grace_seconds: 1,
  remove_volumes: true,
});
const allOf = (host: Host) => host.containers({ allocation_id: first }, makeWork());

/** A host that runs no containers says so, and keeps nothing of the order. */
async function expectRefused(host: Host): Promise<void> {
  const refused = await failureOf(host.launchContainer(workloadOrder(1), makeWork()));
  expect(['registry_refused', 'host_not_ready', 'not_supported']).toContain(refused);
  expect(await allOf(host)).toEqual([]);
}

/** What a host promises about containers. */
export function containerCases(suite: Suite): void {
  const { begin, can } = suite;
  const letWhole = async () => {
    const begun = await begin();
    await begun.host.provisionUser(begun.user(first), makeWork());
    return begun;
  };
  describe('containers', () => {
    it('run from an order, and the same order again finds them running', async () => {
      const { host } = await letWhole();
      if (!can('containers')) return expectRefused(host);
      const work = makeWork();
      const made = await host.launchContainer(workloadOrder(1), work);
      expect(Check(OciWorkload, made)).toBe(true);
      expect(made).toMatchObject({
        state: 'running',
        simulated: host.kind === 'simulated',
        place: 'host',
        exit_code: null,
      });
      expect(made.address).toMatch(/^10\.101\./);
      expect(work.phases).toEqual([...ociPhases]);
      const again = { ...workloadOrder(1), labels: { ...workloadOrder(1).labels, correlation_id: id(902) } };
      expect(await host.launchContainer(again, makeWork())).toEqual(made);
      expect(await allOf(host)).toEqual([made]);
      expect(await host.containers({ allocation_id: first, workload_id: id(7) }, makeWork())).toEqual([]);
    });

    it('print a log of which the end can be read, with a bound', async () => {
      const { host } = await letWhole();
      if (!can('containers')) return expectRefused(host);
      await host.launchContainer(workloadOrder(1), makeWork());
      const of = { allocation_id: first, workload_id: id(1) };
      const tail = await host.containerLogs({ ...of, tail_lines: 1 }, makeWork());
      expect(Check(nodeTaskKinds['app.oci_logs'].output, tail)).toBe(true);
      expect(tail).toMatchObject({ simulated: host.kind === 'simulated', truncated: true });
      expect(tail.lines).toHaveLength(1);
      const whole = await host.containerLogs({ ...of, tail_lines: 1_000 }, makeWork());
      expect(whole.truncated).toBe(false);
      if (whole.simulated) expect(whole.lines.every(({ text }) => text.startsWith('[simulated]'))).toBe(true);
      const none = host.containerLogs({ ...of, workload_id: id(7), tail_lines: 1 }, makeWork());
      expect(await failureOf(none)).toBe('not_found');
    });

    it('are not replaced by another order under their id, and not started again once stopped', async () => {
      const { host } = await letWhole();
      if (!can('containers')) return expectRefused(host);
      await host.launchContainer(workloadOrder(1), makeWork());
      const other = host.launchContainer(workloadOrder(1, { egress: 'internet' }), makeWork());
      expect(await failureOf(other)).toBe('workload_conflict');
      expect((await allOf(host)).map(({ state }) => state)).toEqual(['running']);
      for (let times = 0; times < 2; times += 1) {
        const gone = await host.stopContainer(stopOrder(1), makeWork());
        expect(Check(nodeTaskKinds['app.oci_stop'].output, gone)).toBe(true);
        expect([gone.container_absent.passed, gone.network_absent.passed, gone.volumes_removed?.passed]).toEqual([
          true,
          true,
          true,
        ]);
      }
      expect((await allOf(host)).map(({ state }) => state)).toEqual(['stopped']);
      expect(await failureOf(host.launchContainer(workloadOrder(1), makeWork()))).toBe('workload_conflict');
      expect(await failureOf(host.stopContainer(stopOrder(7), makeWork()))).toBe('not_found');
    });

    it('are refused for an allocation that is not here, and get no GPU of another', async () => {
      const { host, slots } = await letWhole();
      if (!can('containers')) return expectRefused(host);
      const stranger = host.launchContainer(workloadOrder(1, { allocation_id: second }), makeWork());
      expect(await failureOf(stranger)).toBe('not_found');
      const foreign = [`GPU-${'0'.repeat(8)}-0000-4000-8000-${'0'.repeat(12)}`];
      expect(await failureOf(host.launchContainer(workloadOrder(1, { gpu_uuids: foreign }), makeWork()))).toBe(
        'gpu_mismatch',
      );
      expect(await allOf(host)).toEqual([]);
      const own = workloadOrder(1, { gpu_uuids: slots.slice(0, 2).map(({ gpu_uuid }) => gpu_uuid) });
      expect((await host.launchContainer(own, makeWork())).state).toBe('running');
    });

    it('are refused when an order has a variable, a volume, a place or a port twice', async () => {
      const { host } = await letWhole();
      if (!can('containers')) return expectRefused(host);
      const [volume] = workloadOrder(1).volumes;
      if (!volume) return expect.fail('the order has no volume');
      const doubles: Partial<TaskParams<'app.oci_launch'>>[] = [
        { env: [1, 2].map((number) => ({ name: 'A', value: String(number) })) },
        { volumes: [volume, { ...volume, path: '/other' }] },
        { volumes: [volume, { ...volume, name: 'other' }] },
        { volumes: [{ ...volume, path: '/tmp' }] },
        { ports: [1, 2].map((port) => ({ name: 'http', port })) },
      ];
      for (const more of doubles) {
        expect(await failureOf(host.launchContainer(workloadOrder(1, more), makeWork()))).toBe('workload_invalid');
      }
      expect(await allOf(host)).toEqual([]);
    });

    it('stop being made where they are told to, and go on from there', async () => {
      const { host } = await letWhole();
      if (!can('containers')) return expectRefused(host);
      for (const at of ociPhases) {
        const work = makeWork();
        work.onPhase = (phase) => phase === at && work.abort();
        expect(await failureOf(host.launchContainer(workloadOrder(1), work))).toBe('aborted');
        expect(work.phases.at(-1)).toBe(at);
      }
      expect((await host.launchContainer(workloadOrder(1), makeWork())).state).toBe('running');
    });

    it('survive the agent in every phase of a launch, and the agent finds them again', async () => {
      let { host } = await letWhole();
      if (!can('containers')) return expectRefused(host);
      const crashAt = async (at: string, run: (work: Work) => Promise<unknown>) => {
        const work = makeWork();
        const reached = new Promise<void>((resolve) => {
          work.onPhase = (phase) => phase === at && resolve();
        });
        const attempt = run(work).catch(() => undefined);
        await Promise.race([reached, attempt]);
        host = await suite.rig.crash();
        await attempt;
      };
      for (const at of ociPhases) await crashAt(at, (work) => host.launchContainer(workloadOrder(1), work));
      const made = await host.launchContainer(workloadOrder(1), makeWork());
      expect(made.state).toBe('running');
      host = await suite.rig.crash();
      expect(await allOf(host)).toEqual([made]);
      await crashAt('shutdown', (work) => host.stopContainer(stopOrder(1), work));
      expect((await host.stopContainer(stopOrder(1), makeWork())).container_absent.passed).toBe(true);
    });

    it('end with their lease, and are not launched for it again', async () => {
      const { host } = await letWhole();
      if (!can('containers')) return expectRefused(host);
      await host.launchContainer(workloadOrder(1), makeWork());
      await host.endRuntime(first);
      expect((await allOf(host)).map(({ state }) => state)).not.toContain('running');
      expect(['lease_conflict', 'not_found']).toContain(
        await failureOf(host.launchContainer(workloadOrder(2), makeWork())),
      );
      expect((await allOf(host)).filter(({ state }) => state === 'running')).toEqual([]);
    });

    it('go with the allocation, and the release proves it', async () => {
      const { host, user } = await letWhole();
      if (!can('containers')) return expectRefused(host);
      const order = { allocation_id: first, login: suite.rig.login };
      await host.launchContainer(workloadOrder(1), makeWork());
      await host.launchContainer(workloadOrder(2), makeWork());
      for (let times = 0; times < 2; times += 1) {
        const gone = await host.revokeUser(order, makeWork());
        expect(Check(nodeTaskKinds['allocation.revoke_user'].output, gone)).toBe(true);
        expect(gone.containers_removed?.passed).toBe(true);
        expect(await allOf(host)).toEqual([]);
      }
      await host.provisionUser(user(second), makeWork());
      const next = workloadOrder(1, { allocation_id: second });
      expect((await host.launchContainer(next, makeWork())).state).toBe('running');
    });
  });
}
