import { nodeTaskKinds, ReadinessAttestation, slicePhases } from '@gpuaas/contract/node';
import { Check } from 'typebox/value';
import { describe, expect, it } from 'vitest';
import { workloadOrder } from './conformance-containers.ts';
import { failureOf, first, makeWork, type Suite, second } from './conformance-rig.ts';
import { stoppedSliceCase } from './conformance-stops.ts';
import type { Work } from './port.ts';

/** What a host promises about machines on parts of it. */
export function sliceCases(suite: Suite): void {
  const { begin, can } = suite;
  describe('slices', () => {
    it('are made phase by phase and proven, or refused where the host has none', async () => {
      const { host, slice } = await begin();
      const work = makeWork();
      const params = slice(first, [0]);
      const made = host.provisionSlice(params, work);
      if (!can('slices')) {
        expect(await failureOf(made)).toBe('not_supported');
        return expect(await host.runtimes()).toEqual([]);
      }
      const seen = await made;
      expect(Check(ReadinessAttestation, seen)).toBe(true);
      expect(seen.gpus.map(({ uuid }) => uuid)).toEqual(params.expect.gpu_uuids);
      expect([seen.nvidia_smi.passed, seen.disk_clean.passed, seen.isolation.passed]).toEqual([true, true, true]);
      expect(seen.ssh).toMatchObject({ reachable: true, username: suite.rig.login.username });
      expect(work.phases).toEqual([...slicePhases]);
      expect(await host.images()).toContain(params.image.digest);
      expect(Object.keys(seen.durations_ms).sort()).toEqual([...slicePhases].sort());
    });

    it('share a host and do not touch each other', async () => {
      const { host, slice, release } = await begin();
      if (!can('slices')) return expect(suite.rig.limitations).toContain('slices');
      await Promise.all([
        host.provisionSlice(slice(first, [0, 1]), makeWork()),
        host.provisionSlice(slice(second, [2]), makeWork()),
      ]);
      await host.releaseSlice(release(first, [0, 1]), makeWork());
      expect(await host.runtimes()).toEqual([{ allocationId: second, shape: 'slice', running: true }]);
    });

    it('are seen with their own GPUs by the host itself', async () => {
      const { host, slice, slots } = await begin();
      if (!can('slices')) return expect(suite.rig.limitations).toContain('slices');
      await host.provisionSlice(slice(first, [0, 1]), makeWork());
      await host.provisionSlice(slice(second, [2]), makeWork());
      expect(await host.gpusOf(first)).toEqual([slots[0]?.gpu_uuid, slots[1]?.gpu_uuid]);
      expect(await host.gpusOf(second)).toEqual([slots[2]?.gpu_uuid]);
    });

    it('never share a GPU', async () => {
      const { host, slice, release } = await begin();
      if (!can('slices')) return expect(suite.rig.limitations).toContain('slices');
      await host.provisionSlice(slice(first, [0, 1]), makeWork());
      expect(await failureOf(host.provisionSlice(slice(second, [1, 2]), makeWork()))).toBe('lease_conflict');
      expect(await failureOf(host.releaseSlice(release(second, [1, 2]), makeWork()))).toBe('lease_conflict');
      expect(await host.runtimes()).toEqual([{ allocationId: first, shape: 'slice', running: true }]);
    });

    it('refuse a generation that has been overtaken', async () => {
      const { host, slice, release } = await begin();
      if (!can('slices')) return expect(suite.rig.limitations).toContain('slices');
      await host.provisionSlice(slice(first, [0]), makeWork(5));
      expect(await failureOf(host.provisionSlice(slice(first, [0]), makeWork(4)))).toBe('lease_conflict');
      expect(await failureOf(host.releaseSlice(release(first, [0]), makeWork(4)))).toBe('lease_conflict');
      expect(await host.runtimes()).toEqual([{ allocationId: first, shape: 'slice', running: true }]);
    });

    it('are released with proof, twice if need be, and the disk is clean for the next', async () => {
      const { host, slice, release } = await begin();
      if (!can('slices')) return expect(suite.rig.limitations).toContain('slices');
      await host.provisionSlice(slice(first, [0]), makeWork());
      for (let times = 0; times < 2; times += 1) {
        const gone = await host.releaseSlice(release(first, [0]), makeWork());
        expect(Check(nodeTaskKinds['slice.vm_release'].output, gone)).toBe(true);
        expect([gone.machine_absent.passed, gone.disk_wiped.passed, gone.devices_unbound.passed]).toEqual([
          true,
          true,
          true,
        ]);
        expect(gone.reimaged).toBeNull();
      }
      expect((await host.provisionSlice(slice(second, [0]), makeWork())).disk_clean.passed).toBe(true);
    });

    it('prove a reimage where the model of isolation asks for one', async () => {
      const { host, slice, release } = await begin();
      if (!can('slices')) return expect(suite.rig.limitations).toContain('slices');
      await host.provisionSlice(slice(first, [0]), makeWork());
      const gone = await host.releaseSlice({ ...release(first, [0]), isolation_model: 'full-reimage' }, makeWork());
      expect(gone.reimaged?.passed).toBe(true);
    });

    stoppedSliceCase(suite);

    it('run their containers inside their machine, or refuse them where the host cannot', async () => {
      const { host, slice, release } = await begin();
      if (!can('slices')) return expect(suite.rig.limitations).toContain('slices');
      await host.provisionSlice(slice(first, [0]), makeWork());
      const launched = host.launchContainer(workloadOrder(1), makeWork());
      if (!can('slice containers')) return expect(await failureOf(launched)).toBe('not_supported');
      expect(await launched).toMatchObject({ state: 'running', place: 'guest' });
      const gone = await host.releaseSlice(release(first, [0]), makeWork());
      expect(gone.containers_removed?.passed).toBe(true);
      expect(await host.containers({ allocation_id: first }, makeWork())).toEqual([]);
    });

    it('stop where they are told to, and go on from there', async () => {
      const { host, slice } = await begin();
      if (!can('slices')) return expect(suite.rig.limitations).toContain('slices');
      for (const at of slicePhases) {
        const work = makeWork();
        work.onPhase = (phase) => phase === at && work.abort();
        expect(await failureOf(host.provisionSlice(slice(first, [0]), work))).toBe('aborted');
        expect(work.phases.at(-1)).toBe(at);
      }
      expect((await host.provisionSlice(slice(first, [0]), makeWork())).ssh.reachable).toBe(true);
    });

    it('survive the agent in every phase, in the making and in the ending', async () => {
      let { host, slice, release } = await begin();
      if (!can('slices')) return expect(suite.rig.limitations).toContain('slices');
      const crashAt = async (at: string, run: (work: Work) => Promise<unknown>) => {
        const work = makeWork();
        const reached = new Promise<void>((resolve) => {
          work.onPhase = (phase) => phase === at && resolve();
        });
        const attempt = run(work).catch(() => undefined);
        await Promise.race([reached, attempt]);
        host = await suite.rig.crash();
        await attempt;
        expect(work.phases).toContain(at);
      };
      for (const at of slicePhases) await crashAt(at, (work) => host.provisionSlice(slice(first, [0]), work));
      await host.provisionSlice(slice(first, [0]), makeWork());
      expect(await host.runtimes()).toEqual([{ allocationId: first, shape: 'slice', running: true }]);
      for (const at of ['shutdown', 'wipe', 'unbind']) {
        await crashAt(at, (work) => host.releaseSlice(release(first, [0]), work));
      }
      expect((await host.releaseSlice(release(first, [0]), makeWork())).disk_wiped.passed).toBe(true);
      expect(await host.runtimes()).toEqual([]);
    });

    it('end with their lease, are not made again for it, and can still be released', async () => {
      const { host, slice, release } = await begin();
      if (!can('slices')) return expect(suite.rig.limitations).toContain('slices');
      await host.provisionSlice(slice(first, [0]), makeWork());
      await host.endRuntime(first);
      expect((await host.runtimes()).filter(({ running }) => running)).toEqual([]);
      expect(await failureOf(host.provisionSlice(slice(first, [0]), makeWork()))).toBe('lease_conflict');
      expect((await host.releaseSlice(release(first, [0]), makeWork())).machine_absent.passed).toBe(true);
      expect(await host.runtimes()).toEqual([]);
    });

    it('are not finished behind the back of a lease that ended in the middle', async () => {
      const { host, slice } = await begin();
      if (!can('slices')) return expect(suite.rig.limitations).toContain('slices');
      const work = makeWork();
      const ended = new Promise<void>((resolve, reject) => {
        work.onPhase = (phase) => {
          if (phase === 'image') host.endRuntime(first).then(resolve, reject);
        };
      });
      expect(await failureOf(host.provisionSlice(slice(first, [0]), work))).toBe('lease_conflict');
      await ended;
      expect((await host.runtimes()).filter(({ running }) => running)).toEqual([]);
    });
  });
}
