import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { appendFile, mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { makeDisk } from '../../../disk.ts';
import { failureOf, first, imageBytes, makeWork, ordersFor, second } from '../../conformance-rig.ts';
import { HostFailure } from '../../port.ts';
import { type Fixture, makeFixture, treeSlices } from '../testing/fixture.ts';
import { type MachineSpec, serialOf } from '../testing/machines.ts';
import { describeMachine } from './machine/domain.ts';
import { element, render } from './machine/xml.ts';
import { makeDiskRecords } from './records.ts';
import { rulesOf } from './rules.ts';
import { documentsOf } from './seed.ts';
import { checkSettings, namesOf, type SliceSettings, usualSlices } from './settings.ts';

let fixture: Fixture;
afterEach(() => fixture?.close());
async function begin(spec: MachineSpec = {}, settings: SliceSettings = treeSlices()) {
  fixture = await makeFixture(spec);
  const folder = join(fixture.folder, 'state/images');
  await mkdir(folder, { recursive: true });
  const digest = createHash('sha256').update(imageBytes).digest('hex');
  await writeFile(join(folder, `${digest}.raw`), imageBytes);
  const host = await fixture.open({ slices: settings });
  return { host, ...(await ordersFor(host, fixture.login)) };
}
const messageOf = (work: Promise<unknown>) =>
  work.then(
    () => 'it worked',
    (error: unknown) => (error instanceof HostFailure ? error.message : Promise.reject(error)),
  );
const secret = Buffer.from('a secret of the first tenant');
async function writeAt(path: string, bytes: Buffer) {
  const handle = await open(path, 'r+');
  await handle.write(bytes, 0, bytes.length, 200_000);
  await handle.close();
}
const diskPath = (index: number) => join(fixture.machine.root, `dev/nvme${index}n1`);

describe('a host with eight GPUs on two sides', () => {
  it('says that it makes slices, with an address and a disk for each slot', async () => {
    const { host } = await begin();
    const topology = await host.topology(makeWork());
    expect(topology.capabilities).toContainEqual({ ability: 'slices', able: true, why_not: null });
    expect(topology.blockers).toEqual([]);
    expect(new Set(topology.slots.map(({ mac_address }) => mac_address)).size).toBe(8);
    expect(topology.slots.map(({ private_ip }) => private_ip)).toEqual(
      Array.from({ length: 8 }, (_, index) => `10.100.0.${10 + index}`),
    );
  });

  it('says what is missing when it cannot', async () => {
    const { host } = await begin({ hasIommu: false });
    const { capabilities } = await host.topology(makeWork());
    const slices = capabilities?.find(({ ability }) => ability === 'slices');
    expect(slices).toMatchObject({ able: false, why_not: expect.stringContaining('IOMMU') });
  });

  it('keeps the slots of GPUs that are handed through, with their numbers', async () => {
    const { host, slice } = await begin();
    const before = await host.topology(makeWork());
    await host.provisionSlice(slice(first, [1, 2]), makeWork());
    // The driver does not see them any more.
    const rows = [...fixture.machine.says].map(([query, said]) => [query, said.stdout.split('\n')] as const);
    fixture.answer = (argv) => {
      const [, lines] = rows.find(([query]) => query === argv.join(' ')) ?? [];
      return lines && { status: 0, stderr: '', stdout: lines.filter((_, at) => at !== 1 && at !== 2).join('\n') };
    };
    const after = await (await fixture.open({ slices: treeSlices() })).topology(makeWork());
    expect(after.slots.map(({ gpu_uuid }) => gpu_uuid)).toEqual(before.slots.map(({ gpu_uuid }) => gpu_uuid));
  });

  it('pins the machine to the side of its GPUs and hands exactly those through', async () => {
    const { host, slice, slots } = await begin();
    await host.provisionSlice(slice(first, [5, 6]), makeWork());
    const { xml = '' } = fixture.slicePrograms.machines.get(first) ?? {};
    expect(xml).toContain('<vcpu placement="static" cpuset="96-191">24</vcpu>');
    expect(xml).toContain('<memory mode="strict" nodeset="1"/>');
    expect(xml).toContain('<cpu mode="host-passthrough"/>');
    expect(xml).toContain('<port isolated="yes"/>');
    expect(xml).not.toContain('<graphics');
    const buses = [...xml.matchAll(/<address domain="0x0000" bus="0x(..)"/g)].map(([, bus]) => bus);
    expect(buses).toEqual([5, 6].map((index) => slots[index]?.pci_address.slice(5, 7)));
  });

  it('refuses slots on two sides', async () => {
    const { host, slice } = await begin();
    expect(await messageOf(host.provisionSlice(slice(first, [3, 4]), makeWork()))).toContain('different NUMA nodes');
    expect(fixture.slicePrograms.machines.size).toBe(0);
  });

  it('refuses a GPU whose IOMMU group holds something else, and says what', async () => {
    const { host, slice } = await begin({ crowded: true });
    expect(await messageOf(host.provisionSlice(slice(first, [0]), makeWork()))).toMatch(
      /shares IOMMU group .* with 0000:18:00\.1/,
    );
  });

  it('does not make a slice beside a login of the whole host, nor a login beside a slice', async () => {
    const { host, slice, user } = await begin();
    await host.provisionUser(user(first), makeWork());
    expect(await messageOf(host.provisionSlice(slice(second, [0]), makeWork()))).toContain('rented out whole');
    await host.revokeUser({ allocation_id: first, login: fixture.login }, makeWork());
    await host.provisionSlice(slice(second, [0]), makeWork());
    expect(await failureOf(host.provisionUser(user(first), makeWork()))).toBe('lease_conflict');
  });
});

describe('the port of a slice at its host', () => {
  it('leads into the machine from its hand-over on, and not while it is made or started again', async () => {
    const { host, slice } = await begin();
    const isOpen = () =>
      readFileSync(join(fixture.folder, 'state/network/rules.nft'), 'utf8').includes('dnat ip to 10.100.0.10:22');
    const before: boolean[] = [];
    const watched = () =>
      Object.assign(makeWork(), { onPhase: (name: string) => name === 'readiness' && before.push(isOpen()) });
    await host.provisionSlice(slice(first, [0]), watched());
    expect([before, isOpen()]).toEqual([[false], true]);
    await host.provisionSlice(slice(second, [1]), watched());
    expect([before, isOpen()]).toEqual([[false, true], true]);
    const order = { allocation_id: first, login: fixture.login };
    await host.stop({ ...order, grace_seconds: 0 }, makeWork());
    await host.start({ ...order, authorized_keys: [], expect: slice(first, [0]).expect }, watched());
    expect([before, isOpen()]).toEqual([[false, true, false], true]);
  });
});

describe('a device', () => {
  it('that does not move at first is tried again, and one that never does is said to be stuck', async () => {
    const { host, slice, release, slots } = await begin();
    const address = slots[0]?.pci_address ?? '';
    fixture.kernel.stuck.set(address, 1);
    await host.provisionSlice(slice(first, [0]), makeWork());
    fixture.kernel.stuck.set(address, 100);
    expect(await failureOf(host.releaseSlice(release(first, [0]), makeWork()))).toBe('vfio_stuck');
    // Nothing is forgotten: the slot is still this allocation's, and the next attempt proves everything.
    expect(await failureOf(host.provisionSlice(slice(second, [0]), makeWork()))).toBe('lease_conflict');
    fixture.kernel.stuck.set(address, 0);
    expect((await host.releaseSlice(release(first, [0]), makeWork())).devices_unbound.passed).toBe(true);
  }, 120_000);
});

describe('a GPU', () => {
  it('that cannot be reset is not given to anybody else', async () => {
    const { host, slice, release, slots } = await begin();
    await host.provisionSlice(slice(first, [0]), makeWork());
    await rm(join(fixture.machine.root, 'sys/bus/pci/devices', slots[0]?.pci_address ?? '?', 'reset'));
    expect(await messageOf(host.releaseSlice(release(first, [0]), makeWork()))).toContain('has no reset');
    expect(await failureOf(host.provisionSlice(slice(second, [0]), makeWork()))).toBe('lease_conflict');
  });
});

describe('a disk', () => {
  it('whose controller has another namespace is not touched: erasing one may erase both', async () => {
    const { host, slice } = await begin();
    const block = join(fixture.machine.root, 'sys/block/nvme1n2');
    await mkdir(join(block, 'device'), { recursive: true });
    await writeFile(join(block, 'device/serial'), `${serialOf(1)}\n`);
    await writeAt(diskPath(1), secret);
    expect(await messageOf(host.provisionSlice(slice(first, [0]), makeWork()))).toContain(
      '/dev/nvme1n1 shares its controller with /dev/nvme1n2',
    );
    expect((await readFile(diskPath(1))).includes(secret)).toBe(true);
  });

  it('has a record of its own beside another namespace with the same serial number', async () => {
    fixture = await makeFixture();
    const records = makeDiskRecords({ disk: makeDisk({ forced: false }), folder: join(fixture.folder, 'records') });
    const fact = { serial: serialOf(1), state: 'clean', allocation_id: first, method: 'x', at: 'now' } as const;
    await records.put({ ...fact, namespace: 1 });
    expect(await records.get({ serial: serialOf(1), namespace: 1 })).toMatchObject({ state: 'clean' });
    expect(await records.get({ serial: serialOf(1), namespace: 2 })).toBeUndefined();
  });

  it('that nobody approved is not touched', async () => {
    const approved = treeSlices().approvedDisks.filter((serial) => serial !== serialOf(1));
    const { host, slice } = await begin({}, { ...treeSlices(), approvedDisks: approved });
    const order = slice(first, [0]);
    const slot = { ...order.slots[0], nvme_device: '/dev/nvme1n1' } as (typeof order.slots)[number];
    expect(await messageOf(host.provisionSlice({ ...order, slots: [slot] }, makeWork()))).toContain('is not approved');
  });

  it.each(['/dev/nvme1n1 /srv ext4 rw 0 0', '/dev/nvme1n1p1 /srv ext4 rw 0 0'])(
    'that was mounted meanwhile is not touched: %s',
    async (line) => {
      const { host, slice } = await begin();
      const before = await readFile(diskPath(1));
      const work = makeWork();
      let mounted: Promise<void> | undefined;
      work.onPhase = (phase) => {
        if (phase === 'address') mounted = appendFile(join(fixture.machine.root, 'proc/mounts'), `${line}\n`);
      };
      expect(await messageOf(host.provisionSlice(slice(first, [0]), work))).toContain('is mounted at /srv');
      await mounted;
      expect(await readFile(diskPath(1))).toEqual(before);
    },
  );

  it('that holds a volume of the host is refused until somebody erases it', async () => {
    const { host, slice } = await begin();
    fixture.answer = (argv) => (argv[0] === 'blkid' ? { status: 0, stdout: 'LVM2_member\n', stderr: '' } : undefined);
    expect(await messageOf(host.provisionSlice(slice(first, [0]), makeWork()))).toContain('LVM2_member');
  });

  it('is overwritten byte by byte when the device only claims to have erased itself', async () => {
    const { host, slice, release } = await begin();
    await host.provisionSlice(slice(first, [0]), makeWork());
    await writeAt(diskPath(1), secret);
    fixture.answer = (argv) =>
      argv[0] === 'blkdiscard' || argv[0] === 'nvme' ? { status: 0, stdout: '', stderr: '' } : undefined;
    const { disk_wiped } = await host.releaseSlice(release(first, [0]), makeWork());
    expect(disk_wiped).toMatchObject({ passed: true, detail: expect.stringContaining('overwriting every byte') });
    expect((await readFile(diskPath(1))).includes(secret)).toBe(false);
  });

  it('is erased at the end whichever of the slice it is: a tenant writes to all of them', async () => {
    const { host, slice, release } = await begin();
    const order = slice(first, [0, 1]);
    await host.provisionSlice(order, makeWork());
    const paths = order.slots.map(({ nvme_device }) => join(fixture.machine.root, nvme_device ?? '?'));
    expect(new Set(paths).size).toBe(2);
    for (const path of paths) await writeAt(path, secret);
    const { disk_wiped } = await host.releaseSlice(release(first, [0, 1]), makeWork());
    expect(disk_wiped.passed).toBe(true);
    for (const path of paths) expect((await readFile(path)).includes(secret)).toBe(false);
    const left = await host.provisionSlice(slice(second, [0, 1]), makeWork());
    expect(left.disk_clean.passed).toBe(true);
  });

  it('that was empty once is read again before the next tenant gets it, and erased where it is not', async () => {
    const { host, slice, release } = await begin();
    await host.provisionSlice(slice(first, [0, 1]), makeWork());
    await host.releaseSlice(release(first, [0, 1]), makeWork());
    for (const index of [1, 2]) await writeAt(diskPath(index), secret);
    await host.provisionSlice(slice(second, [0, 1]), makeWork());
    for (const index of [1, 2]) expect((await readFile(diskPath(index))).includes(secret)).toBe(false);
  });

  it('that cannot be read back is not handed over', async () => {
    const { host, slice } = await begin();
    const work = makeWork();
    fixture.answer = (argv) => {
      if (argv[0] !== 'blockdev' || argv[1] !== '--flushbufs' || work.phases.at(-1) !== 'disk') return undefined;
      return fixture.calls.filter(([program]) => program === 'blkdiscard').length === 0
        ? undefined
        : { status: 1, stdout: '', stderr: 'Input/output error' };
    };
    expect(await failureOf(host.provisionSlice(slice(first, [0]), work))).toBe('wipe_unverified');
    expect(fixture.slicePrograms.machines.size).toBe(0);
  });
});

describe('the machine of a release', () => {
  const deaf = (...verbs: string[]) => {
    fixture.answer = (argv) =>
      argv[0] === 'virsh' && verbs.some((verb) => argv.includes(verb))
        ? { status: 0, stdout: '', stderr: '' }
        : undefined;
  };

  it('that shuts down in its time is not destroyed', async () => {
    const { host, slice, release } = await begin();
    await host.provisionSlice(slice(first, [0]), makeWork());
    const work = makeWork();
    const gone = await host.releaseSlice({ ...release(first, [0]), grace_seconds: 5 }, work);
    expect(gone.machine_ended).toBe('shut_down');
    expect(work.phases).toEqual(['shutdown', 'wipe', 'unbind']);
  });

  it('that does not listen is destroyed when its time is over, and both are reported', async () => {
    const { host, slice, release } = await begin();
    await host.provisionSlice(slice(first, [0]), makeWork());
    deaf('shutdown');
    const work = makeWork();
    const gone = await host.releaseSlice({ ...release(first, [0]), grace_seconds: 1 }, work);
    expect(gone).toMatchObject({ machine_ended: 'destroyed', machine_absent: { passed: true } });
    expect(work.phases).toEqual(['shutdown', 'destroy', 'wipe', 'unbind']);
  });

  it('that cannot be destroyed fails the release; its disk is not erased under it, and the next try ends it', async () => {
    const { host, slice, release } = await begin();
    await host.provisionSlice(slice(first, [0]), makeWork());
    await writeAt(diskPath(1), secret);
    deaf('shutdown', 'destroy');
    const work = makeWork();
    const order = { ...release(first, [0]), grace_seconds: 1 };
    expect(await failureOf(host.releaseSlice(order, work))).toBe('guest_hung');
    expect(work.phases).toEqual(['shutdown', 'destroy']);
    expect((await readFile(diskPath(1))).includes(secret)).toBe(true);
    expect(await failureOf(host.provisionSlice(slice(second, [0]), makeWork()))).toBe('lease_conflict');
    fixture.answer = () => undefined;
    expect((await host.releaseSlice(order, makeWork())).disk_wiped.passed).toBe(true);
  });
});

describe('documents', () => {
  const hostile = `"/><disk/>&amp;\n- runcmd: [reboot]\n'`;
  it('hold hostile words as words', () => {
    expect(render(element('name', { value: hostile }, hostile))).toBe(
      `<name value="${render(hostile)}">${render(hostile)}</name>`,
    );
    expect(render(hostile)).not.toMatch(/[<>"'\n]/);
    expect(() => render(element('a b'))).toThrow('not a name');
    expect(() => render('\u0000')).toThrow('no way to write');
    const network = { bridge: 'gpuaas0', tap: 'gpuaas-s0', mac: '02:00:00:00:00:00' };
    const machine = { uuid: first, name: hostile, vcpus: 1, memoryMib: 1, side: undefined, hugePages: false, network };
    const text = describeMachine({ ...machine, disks: [hostile], seed: hostile, devices: [], serialLog: hostile });
    expect(text.match(/<disk /g)).toHaveLength(2);
    const seed = documentsOf({
      ...{ allocationId: first, hostname: hostile, login: { username: hostile, uid: 1 }, authorizedKeys: [hostile] },
      ...{ agentKey: 'k', gateway: '10.100.0.1', mac: '02:00:00:00:00:00', hostKey: { secret: 's', public: 'p' } },
      guest: { gateway: '10.100.0.1', token: 't', driverPackages: [] },
    });
    expect(JSON.parse(JSON.stringify(seed['user-data']))).toMatchObject({
      hostname: hostile,
      users: [{ name: hostile }],
    });
  });

  it('refuse settings that nftables would read as something else', () => {
    expect(() => checkSettings({ ...usualSlices, network: '10.0.0.0/8' })).toThrow('not a network for slices');
    expect(() => checkSettings({ ...usualSlices, blocked: ['1.2.3.4/32 } ; flush ruleset'] })).toThrow('not an IPv4');
  });

  it('let each port send as itself and nothing else, and a port without rules send nothing', () => {
    const names = [0, 3].map((index) => namesOf(usualSlices, 'a machine', index));
    const rules = rulesOf({ ...usualSlices, blocked: ['203.0.113.0/24'] }, names, names);
    for (const { mac, address, tap } of names) {
      expect(rules).toContain(`iifname "${tap}" jump`);
      expect(rules).toContain(`ether saddr != ${mac} drop`);
      expect(rules).toContain(`arp saddr ip { ${address}, 0.0.0.0 } accept`);
    }
    expect(rules).toContain('iifname "gpuaas-s*" drop');
    expect(rules).toContain('203.0.113.0/24');
    expect(rules).toContain('169.254.0.0/16');
  });
});
