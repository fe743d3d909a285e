import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { slicePhases } from '@gpuaas/contract/node';
import type { FaultName } from '@gpuaas/contract/simulator';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../clock.ts';
import { failureOf, makeWork, ordersFor } from '../conformance-rig.ts';
import { openSimulatedHost, type SimulatedHost } from './host.ts';

const allocation = '0191b2c4-0000-7000-8000-00000000000a';
const login = { username: 'ada', uid: 20_001, gid: 20_001 };
let folder: string;
let host: SimulatedHost;
let orders: Awaited<ReturnType<typeof ordersFor>>;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gpuaas-host-'));
  host = await open();
  orders = await ordersFor(host, login);
});
afterEach(async () => {
  await host.close();
  await rm(folder, { recursive: true, force: true });
});
const open = (more: object = {}) =>
  openSimulatedHost({
    seed: 'faulty-1',
    folder,
    clock: systemClock,
    pace: { speed: Number.POSITIVE_INFINITY },
    ...more,
  });
const provision = () => host.provisionSlice(orders.slice(allocation, [0, 1]), makeWork());
const release = (graceSeconds = 30) =>
  host.releaseSlice({ ...orders.release(allocation, [0, 1]), grace_seconds: graceSeconds }, makeWork());

describe('a fault in the making of a slice', () => {
  it.each([
    ['xid_79', 'gpu_unhealthy'],
    ['gpu_missing', 'gpu_missing'],
    ['gpu_mismatch', 'gpu_mismatch'],
    ['driver_unavailable', 'driver_unavailable'],
    ['wrong_driver', 'driver_unavailable'],
    ['dirty_disk', 'disk_dirty'],
    ['leaky_bridge', 'isolation_failed'],
    ['vfio_stuck', 'vfio_stuck'],
    ['image_unavailable', 'image_unavailable'],
    ['disk_full', 'disk_full'],
    ['machine_failed', 'machine_failed'],
    ['ssh_unreachable', 'ssh_unreachable'],
    ['mirror_away', 'guest_setup_failed'],
  ] as const)(
    '%s fails as %s, once if it was set to strike once, and for as long as it stays otherwise',
    async (fault, code) => {
      await host.faults.set({ fault, once: true, slotIndex: 1 });
      expect(await failureOf(provision())).toBe(code);
      expect(host.faults.list()).toEqual([]);
      expect(await failureOf(provision())).toBeUndefined();
      await release();

      await host.faults.set({ fault, slotIndex: 1 });
      expect(await failureOf(provision())).toBe(code);
      expect(await failureOf(provision())).toBe(code);
      await host.faults.clear(fault);
      expect(await failureOf(provision())).toBeUndefined();
    },
  );

  it('of another GPU does not concern it', async () => {
    await host.faults.set({ fault: 'xid_79', slotIndex: 5 });
    expect((await provision()).gpus.every(({ healthy }) => healthy)).toBe(true);
  });

  it('mirror_away says its reason on the console of the machine', async () => {
    await host.faults.set({ fault: 'mirror_away', once: true });
    expect(await failureOf(provision())).toBe('guest_setup_failed');
    expect((await host.consoles()).at(-1)?.text).toContain('gpuaas-guest: driver failed The mirror of packages');
  });

  it('silent_guest leaves the measurements of slices out, and those of the host in', async () => {
    await provision();
    const sources = async () => (await host.samples()).map(({ source }) => source);
    expect(await sources()).toEqual(['host', 'guest']);
    await host.faults.set({ fault: 'silent_guest' });
    expect(await sources()).toEqual(['host']);
  });

  it('slow_image makes it wait, and nothing else', async () => {
    await host.faults.set({ fault: 'slow_image', once: true });
    expect(await failureOf(provision())).toBeUndefined();
    expect(host.faults.list()).toEqual([]);
  });
});

describe('a fault in the end of a slice', () => {
  it('dirty_disk fails as wipe_unverified and keeps the slot until a wipe is proven', async () => {
    await provision();
    await host.faults.set({ fault: 'dirty_disk' });
    expect(await failureOf(release())).toBe('wipe_unverified');
    expect(host.state.disks['/dev/nvme1n1']).toMatchObject({ content: 'used', tenant: allocation });
    await host.faults.clear('dirty_disk');
    expect((await release()).disk_wiped.passed).toBe(true);
  });

  it('deaf_guest is destroyed when its time to shut down is over, and the release says so', async () => {
    await provision();
    await host.faults.set({ fault: 'deaf_guest' });
    const work = makeWork();
    expect(await host.releaseSlice(orders.release(allocation, [0, 1]), work)).toMatchObject({
      machine_ended: 'destroyed',
      machine_absent: { passed: true },
    });
    expect(work.phases.slice(0, 2)).toEqual(['shutdown', 'destroy']);
  });

  it('hung_guest fails as guest_hung after it was to be destroyed, until a release without grace', async () => {
    await provision();
    await host.faults.set({ fault: 'hung_guest' });
    expect(await failureOf(release())).toBe('guest_hung');
    expect(await host.runtimes()).toHaveLength(1);
    expect(await release(0)).toMatchObject({ machine_ended: 'destroyed', machine_absent: { passed: true } });
  });

  it('vfio_stuck fails as vfio_stuck and keeps the devices', async () => {
    await provision();
    await host.faults.set({ fault: 'vfio_stuck', once: true });
    expect(await failureOf(release())).toBe('vfio_stuck');
    expect(host.state.devices[orders.slots[0]?.pci_address ?? '']).toMatchObject({
      driver: 'vfio-pci',
      owner: { allocation_id: allocation, ended: true },
    });
    expect((await release()).devices_unbound.passed).toBe(true);
    expect(Object.values(host.state.devices).every(({ driver, owner }) => driver === 'nvidia' && !owner)).toBe(true);
  });
});

describe('a whole node', () => {
  const user = () => host.provisionUser(orders.user(allocation), makeWork());

  it.each([
    ['gpu_missing', 'gpu_missing'],
    ['xid_79', 'gpu_unhealthy'],
    ['wrong_driver', 'driver_unavailable'],
    ['dirty_disk', 'disk_dirty'],
    ['leaky_bridge', 'isolation_failed'],
  ] as const)('with %s is not handed over: %s', async (fault, code) => {
    await host.faults.set({ fault, slotIndex: 7 });
    expect(await failureOf(user())).toBe(code);
  });

  it('with seven of eight GPUs says so when it is looked at', async () => {
    await host.faults.set({ fault: 'gpu_missing', slotIndex: 7 });
    expect((await host.topology(makeWork())).slots).toHaveLength(7);
    expect((await host.health(makeWork())).checks['gpus']).toEqual({ passed: false, detail: '7 of 8 GPUs are well.' });
  });

  it('whose user has a process that stays fails as user_remains', async () => {
    await user();
    await host.faults.set({ fault: 'user_remains', once: true });
    expect(await failureOf(host.revokeUser({ allocation_id: allocation, login }, makeWork()))).toBe('user_remains');
    expect(await host.runtimes()).toHaveLength(1);
    await host.revokeUser({ allocation_id: allocation, login }, makeWork());
    expect(await host.runtimes()).toEqual([]);
  });

  it.each([
    ['image_unavailable', 'image_unavailable'],
    ['disk_full', 'disk_full'],
    ['dirty_disk', 'wipe_unverified'],
  ] as const)('with %s cannot be imaged: %s; a second try images it once', async (fault, code) => {
    await host.faults.set({ fault, once: true });
    expect(await failureOf(host.reimage({ image: orders.image }, makeWork()))).toBe(code);
    expect(await failureOf(user())).toBe('host_not_ready');
    await host.revokeUser({ allocation_id: allocation, login }, makeWork());
    const { reimaged } = await host.reimage({ image: orders.image }, makeWork());
    expect(reimaged.detail).toContain('generation 2');
    expect(host.state.image_generation).toBe(2);
  });
});

describe('while an allocation is active', () => {
  it.each([
    ['xid_79', 'GpusHealthy', 'Xid79'],
    ['driver_unavailable', 'DriverReady', 'DriverUnavailable'],
    ['disk_full', 'StorageReady', 'DiskFull'],
    ['vfio_stuck', 'DevicesBindable', 'VfioStuck'],
    ['leaky_bridge', 'IsolationHolds', 'BridgeLeaks'],
  ] as const satisfies readonly (readonly [FaultName, string, string])[])(
    '%s shows as a condition',
    async (fault, type, reason) => {
      await provision();
      expect((await host.conditions()).every(({ status }) => status === 'True')).toBe(true);
      await host.faults.set({ fault });
      expect((await host.conditions()).filter(({ status }) => status === 'False')).toMatchObject([{ type, reason }]);
    },
  );

  it('an attestation says what is there, not what was promised', async () => {
    await provision();
    const { expect: promised } = orders.slice(allocation, [0, 1]);
    const look = () => host.attest({ allocation_id: allocation, login, expect: promised }, makeWork());
    expect((await look()).nvidia_smi.passed).toBe(true);
    await host.faults.set({ fault: 'xid_79', slotIndex: 1 });
    await host.faults.set({ fault: 'leaky_bridge' });
    const seen = await look();
    expect(seen.gpus.map(({ healthy }) => healthy)).toEqual([true, false]);
    expect([seen.nvidia_smi.passed, seen.isolation.passed]).toEqual([false, false]);
    await host.faults.set({ fault: 'gpu_missing', slotIndex: 0 });
    expect((await look()).gpus).toHaveLength(1);
  });

  it('faults are still there after the agent has been started again', async () => {
    await host.faults.set({ fault: 'agent_lost' });
    host = await open();
    expect(host.faults.find('agent_lost')).toMatchObject({ once: false });
  });
});

describe('time', () => {
  it('is that of a real host, divided by the speed', async () => {
    let nowMs = Date.parse('2026-01-01T00:00:00Z');
    const pace = { speed: 1 };
    const clock = {
      now: () => new Date(nowMs),
      sleep: async (ms: number) => {
        nowMs += ms;
      },
    };
    const timed = async (run: () => Promise<unknown>) => {
      const began = nowMs;
      await run();
      return (nowMs - began) / 1_000;
    };
    host = await open({ clock, pace, seed: 'faulty-1' });
    expect(await timed(provision)).toBe(279);
    await release();
    pace.speed = 60;
    // The image is here by now.
    expect(await timed(provision)).toBeCloseTo((279 - 88) / 60, 3);
    await release();
    pace.speed = 1;
    await host.faults.set({ fault: 'slow_image', once: true });
    expect(await timed(provision)).toBe(279 - 92 + 40);
    expect(Object.keys(host.state.machines[allocation]?.durations_ms ?? {})).toEqual([...slicePhases]);
  });
});
