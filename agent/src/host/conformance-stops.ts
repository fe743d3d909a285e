import { nodeTaskKinds, ReadinessAttestation } from '@gpuaas/contract/node';
import { Check } from 'typebox/value';
import { describe, expect, it } from 'vitest';
import { failureOf, first, key, makeWork, type Suite, second } from './conformance-rig.ts';
import type { Host } from './port.ts';

const orderOf = ({ rig }: Suite) => ({ allocation_id: first, login: rig.login });
const stopIt = (suite: Suite, host: Host, graceSeconds = 0) =>
  host.stop({ ...orderOf(suite), grace_seconds: graceSeconds }, makeWork());

/** What a host promises about machines that are stopped for a while and keep what they have. */
export function stopCases(suite: Suite): void {
  const { begin } = suite;
  const order = () => orderOf(suite);
  const stop = (host: Host) => stopIt(suite, host);

  describe('a whole host that is stopped', () => {
    it('lets nobody in and shows no GPU at work, and is the same host with the given keys when it starts again', async () => {
      const { host, user } = await begin();
      const params = user(first);
      const before = await host.provisionUser(params, makeWork());
      for (let times = 0; times < 2; times += 1) {
        const stopped = await stop(host);
        expect(Check(nodeTaskKinds['allocation.stop'].output, stopped)).toBe(true);
        expect(stopped.machine_stopped.passed).toBe(true);
      }
      expect(await host.runtimes()).toEqual([{ allocationId: first, shape: 'bare_metal', running: false }]);
      expect(await host.gpusOf(first)).toEqual([]);
      const { username } = suite.rig.login;
      const shell = host.openShell({ allocationId: first, username, columns: 80, rows: 24 });
      expect(await failureOf(shell)).toBe('not_found');
      const keys = { ...order(), authorized_keys: [key('b')] };
      expect(await failureOf(host.installKeys(keys, makeWork()))).toBe('not_found');
      for (let times = 0; times < 2; times += 1) {
        const seen = await host.start({ ...keys, expect: params.expect }, makeWork());
        expect(Check(ReadinessAttestation, seen)).toBe(true);
        expect(seen.ssh).toEqual(before.ssh);
      }
      expect(await suite.rig.keysOf({ allocationId: first, username })).toEqual([key('b')]);
      expect(await host.runtimes()).toEqual([{ allocationId: first, shape: 'bare_metal', running: true }]);
      expect(await host.gpusOf(first)).toEqual(params.expect.gpu_uuids);
    });

    it('stays stopped through a crash of the agent, belongs to nobody else, and can be released', async () => {
      const { host, user } = await begin();
      await host.provisionUser(user(first), makeWork());
      await stop(host);
      const again = await suite.rig.crash();
      expect((await again.runtimes()).filter(({ running }) => running)).toEqual([]);
      expect(['lease_conflict', 'user_conflict']).toContain(
        await failureOf(again.provisionUser(user(second), makeWork())),
      );
      const gone = await again.revokeUser(order(), makeWork());
      expect([gone.user_absent.passed, gone.processes_ended.passed]).toEqual([true, true]);
      expect(await again.runtimes()).toEqual([]);
    });

    it('stays closed when it cannot be proven at its start, and does not start after its lease has ended', async () => {
      const { host, user } = await begin();
      const params = user(first);
      await host.provisionUser(params, makeWork());
      await stop(host);
      const uuid = `GPU-${'0'.repeat(8)}-0000-4000-8000-${'0'.repeat(12)}`;
      const wrong = { ...params.expect, gpu_uuids: [uuid, ...params.expect.gpu_uuids.slice(1)] };
      const keys = { ...order(), authorized_keys: [key('a')] };
      expect(['gpu_missing', 'gpu_mismatch']).toContain(
        await failureOf(host.start({ ...keys, expect: wrong }, makeWork())),
      );
      expect((await host.runtimes()).filter(({ running }) => running)).toEqual([]);
      await host.endRuntime(first);
      expect(await failureOf(host.start({ ...keys, expect: params.expect }, makeWork()))).toBe('not_found');
    });

    it('is not stopped or started for an allocation that it does not have', async () => {
      const { host, user } = await begin();
      expect(await failureOf(stop(host))).toBe('not_found');
      const start = { ...order(), authorized_keys: [], expect: user(first).expect };
      expect(await failureOf(host.start(start, makeWork()))).toBe('not_found');
    });
  });
}

/** What a host promises about a slice that is stopped. */
export function stoppedSliceCase(suite: Suite): void {
  const { begin, can } = suite;
  it('keep disk and devices when they are stopped, leave their neighbour alone, and run again with the given keys', async () => {
    const { host, slice, release } = await begin();
    if (!can('slices')) return expect(suite.rig.limitations).toContain('slices');
    const params = slice(first, [0]);
    const before = await host.provisionSlice(params, makeWork());
    await host.provisionSlice(slice(second, [1]), makeWork());
    await stopIt(suite, host, 1);
    await stopIt(suite, host);
    expect(await host.gpusOf(first)).toEqual([]);
    expect((await host.runtimes()).filter(({ running }) => running)).toEqual([
      { allocationId: second, shape: 'slice', running: true },
    ]);
    expect(await failureOf(host.provisionSlice(slice(second, [0]), makeWork()))).toBe('lease_conflict');
    const seen = await host.start(
      { ...orderOf(suite), authorized_keys: [key('b')], expect: params.expect },
      makeWork(),
    );
    expect(seen.ssh).toEqual(before.ssh);
    expect(await host.gpusOf(first)).toEqual(params.expect.gpu_uuids);
    await stopIt(suite, host);
    const gone = await host.releaseSlice(release(first, [0]), makeWork());
    expect([gone.machine_absent.passed, gone.disk_wiped.passed]).toEqual([true, true]);
  });
}
