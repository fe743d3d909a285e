import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ReadinessAttestation, TaskParams } from '@gpuaas/contract/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { first, makeWork, ordersFor, second } from '../../conformance-rig.ts';
import type { Host, HostSample, Work } from '../../port.ts';
import { connectTo, listen, pretend, spoof } from '../testing/attacks.ts';
import { isRoot } from '../testing/fixture.ts';
import { hostAddress, openSliceRoom, outerAddress, type SliceRoom, worldPort } from '../testing/slice-room.ts';

/**
 * Two tenants on one host, with real machines of libvirt, real rules and real block devices. `testing/slice-room.ts` says what stands in
 * for hardware that this machine does not have. Only root can make namespaces and loop devices, so only root can run this.
 */
const run = promisify(execFile);
const guestFolder = join(import.meta.dirname, '../testing/guest');
const minuteMs = 60_000;

/** The test image, built once for each state of its recipe. */
async function guestImage(): Promise<string> {
  const recipe = await Promise.all(
    ['build.sh', 'init', 'nvidia-smi', 'apt-get'].map((name) => readFile(join(guestFolder, name))),
  );
  const digest = createHash('sha256').update(Buffer.concat(recipe)).digest('hex');
  const folder = join('/var/tmp', `gpuaas-test-guest-${digest.slice(0, 16)}`);
  const image = join(folder, 'image.raw');
  const isThere = await stat(image).then(
    () => true,
    () => false,
  );
  await mkdir(folder, { recursive: true });
  if (!isThere) await run(join(guestFolder, 'build.sh'), [folder], { timeout: 10 * minuteMs });
  return image;
}

describe.runIf(isRoot)('slices on libvirt', () => {
  let room: SliceRoom;
  let host: Host;
  let orders: Awaited<ReturnType<typeof ordersFor>>;
  const tenants = new Map<string, Tenant>();
  interface Tenant {
    readonly id: string;
    readonly slot: number;
    readonly user: string;
    readonly key: { readonly path: string; readonly key: string };
    /** Whether its image brings no driver: the machine installs one at its first boot. */
    readonly installs: boolean;
    seen?: ReadinessAttestation;
  }
  const tenant = (name: string): Tenant => {
    const found = tenants.get(name);
    if (!found) throw new Error(`there is no tenant ${name}`);
    return found;
  };
  const orderOf = ({ id, slot, user, key, installs }: Tenant): TaskParams<'slice.vm_provision'> => ({
    ...orders.slice(id, [slot]),
    hostname: `slice-${slot}`,
    login: { username: user, uid: 20_001 + slot, gid: 20_001 + slot },
    profile: { name: 'small', vcpus: 1, memory_mib: 384 },
    image: { slug: 'test-guest', digest: room.digest, driver_strategy: installs ? 'cloud_init' : 'preinstalled' },
    authorized_keys: [key.key],
  });
  /** The agent dies as a phase begins, and comes back. */
  const dieAt = async (phase: string, attempt: (work: Work) => Promise<unknown>) => {
    const work = makeWork();
    const reached = new Promise<void>((resolve) => {
      work.onPhase = (name) => name === phase && resolve();
    });
    const ended = attempt(work).catch(() => undefined);
    await Promise.race([reached, ended]);
    host = await room.open();
    await ended;
    expect(work.phases.at(-1)).toBe(phase);
  };
  const addressOf = ({ slot }: Tenant) => orders.slots[slot]?.private_ip ?? '';
  const macOf = ({ slot }: Tenant) => orders.slots[slot]?.mac_address ?? '';
  const portOf = ({ slot }: Tenant) => 22_000 + slot;
  const inside = (of: Tenant, command: string) =>
    room.ssh({ keyFile: of.key.path, port: portOf(of), user: 'root' }, command);
  const python = (of: Tenant, program: string) =>
    inside(of, `echo ${Buffer.from(program).toString('base64')} | base64 -d | python3 -S -`);

  beforeAll(async () => {
    room = await openSliceRoom(await guestImage());
    host = await room.open();
    orders = await ordersFor(host, { username: 'ada', uid: 20_001, gid: 20_001 });
    for (const [name, id, slot] of [
      ['ada', first, 0],
      ['bob', second, 1],
    ] as const) {
      tenants.set(name, { id, slot, user: name, key: await room.makeKey(name), installs: name === 'bob' });
    }
    for (const phase of ['vfio_bind', 'disk', 'readiness']) {
      await dieAt(phase, (work) => host.provisionSlice(orderOf(tenant('ada')), work));
    }
    await Promise.all(
      ['ada', 'bob'].map(async (name) => {
        tenant(name).seen = await host.provisionSlice(orderOf(tenant(name)), makeWork());
      }),
    );
  }, 40 * minuteMs);
  afterAll(() => room?.close(), 5 * minuteMs);

  it('are made although the agent was killed in between, and prove their own GPU inside', async () => {
    for (const name of ['ada', 'bob']) {
      const { seen, slot } = tenant(name);
      expect(seen?.gpus.map(({ uuid }) => uuid)).toEqual([orders.slots[slot]?.gpu_uuid]);
      expect([seen?.disk_clean.passed, seen?.isolation.passed, seen?.ssh.reachable]).toEqual([true, true, true]);
    }
    expect(await host.runtimes()).toEqual([
      { allocationId: first, shape: 'slice', running: true },
      { allocationId: second, shape: 'slice', running: true },
    ]);
  });

  it(
    'report how they are through their host, each with its own GPU',
    async () => {
      const seen = new Map<string, HostSample[]>();
      const look = async () => {
        for (const sample of await host.samples()) {
          if (sample.source !== 'guest') continue;
          seen.set(sample.allocation_id ?? '', [...(seen.get(sample.allocation_id ?? '') ?? []), sample]);
        }
        return Math.min(...[first, second].map((id) => seen.get(id)?.length ?? 0));
      };
      await expect.poll(look, { timeout: 4 * minuteMs, interval: 2_000 }).toBeGreaterThanOrEqual(2);
      for (const { id, slot } of tenants.values()) {
        const last = seen.get(id)?.at(-1);
        expect(last?.gpus).toEqual([orders.slots[slot]?.gpu_uuid]);
        expect(last?.gpu).toMatchObject({ utilization: [37], power_watts: [210.5] });
        expect(last?.host.memory_total_mib).toBeGreaterThan(200);
        expect(last?.host.cpu_percent).toBeGreaterThanOrEqual(0);
        expect(last?.host.network_transmit_kib_s).toBeGreaterThan(0);
      }
    },
    5 * minuteMs,
  );

  it(
    'are not heard at the door for reports from outside, nor with the token of a neighbour',
    async () => {
      const knock = (port: number) =>
        `timeout 5 bash -c 'exec 3<>/dev/tcp/10.100.0.1/${port}' 2>&1 && echo reached || echo not reached`;
      await room.outside('ip', 'route', 'replace', '10.100.0.0/24', 'via', hostAddress);
      // The way is there: another port answers that nobody listens.
      expect(await room.outside('sh', '-c', knock(9))).toContain('refused');
      expect(await room.outside('sh', '-c', knock(9_110))).toBe('not reached\n');
      expect(await inside(tenant('ada'), knock(9_110))).toBe('reached\n');
      const [, token = ''] = /token=(\S+)/.exec(await inside(tenant('ada'), 'cat /etc/gpuaas-guest')) ?? [];
      expect(token).toHaveLength(43);
      const said = await inside(
        tenant('bob'),
        `exec 3<>/dev/tcp/10.100.0.1/9110; printf 'POST /internal/v1/guest-telemetry HTTP/1.0\\r\\nAuthorization: Bearer ${token}\\r\\nContent-Length: 0\\r\\n\\r\\n' >&3; head -n 1 <&3`,
      );
      expect(said).toContain('401');
    },
    minuteMs,
  );

  it(
    'let their own tenant in at the port of the host, and no other',
    async () => {
      const [ada, bob] = [tenant('ada'), tenant('bob')];
      const door = { keyFile: ada.key.path, port: portOf(ada), user: ada.user };
      expect(await room.ssh(door, 'id -un; hostname')).toBe('ada\nslice-0\n');
      await expect(room.ssh({ ...door, keyFile: bob.key.path }, 'true')).rejects.toThrow(/Permission denied/);
      await room.outside('ssh-keyscan', '-p', String(portOf(ada)), '-t', 'ed25519', hostAddress).then(async (line) => {
        const blob = line.trim().split(' ').at(-1) ?? '';
        const digest = createHash('sha256').update(Buffer.from(blob, 'base64')).digest('base64').replace(/=+$/, '');
        expect(ada.seen?.ssh.host_key_fingerprint).toBe(`SHA256:${digest}`);
      });
    },
    5 * minuteMs,
  );

  it(
    'reach the world, and neither each other nor the host nor metadata',
    async () => {
      const listener = room.serveOutside();
      const bob = tenant('bob');
      const said = await python(
        tenant('ada'),
        connectTo([
          [outerAddress, worldPort],
          [addressOf(bob), 22],
          ['10.100.0.1', 22],
          [hostAddress, portOf(bob)],
          ['169.254.169.254', 80],
          ['192.168.1.1', 443],
        ]),
      );
      await listener.close();
      expect(said.trim().split('\n')).toEqual([
        `${outerAddress} ${worldPort} reached`,
        `${addressOf(bob)} 22 not reached`,
        '10.100.0.1 22 not reached',
        `${hostAddress} ${portOf(bob)} not reached`,
        '169.254.169.254 80 not reached',
        '192.168.1.1 443 not reached',
      ]);
      await expect(inside(tenant('ada'), `ping -c 2 -W 3 ${addressOf(bob)}`)).rejects.toThrow();
    },
    5 * minuteMs,
  );

  it(
    'neither hear each other nor answer for each other, by ARP, DHCP or router advertisement',
    async () => {
      const [ada, bob] = [tenant('ada'), tenant('bob')];
      const hearing = python(bob, listen(30));
      await expect.poll(() => inside(ada, 'echo ready')).toBe('ready\n');
      expect(await python(ada, pretend({ address: addressOf(bob), mac: macOf(bob) }, '10.100.0.1'))).toBe('sent\n');
      // Something that it may hear, so that silence is not taken for isolation.
      await inside(bob, 'true');
      const heard = (await hearing).trim().split(' ');
      expect(heard.length).toBeGreaterThan(0);
      expect(heard.join()).toMatch(/:/);
      expect(heard).not.toContain(macOf(ada));
      expect(await inside(bob, 'ip neigh; ip -6 route; ip addr')).not.toContain(macOf(ada));
      const known = await room.run('ip', 'neigh', 'show', 'dev', 'gpuaas0');
      expect(known).toMatch(new RegExp(`${addressOf(bob).replaceAll('.', '\\.')} .*${macOf(bob)}`));
      expect(known.match(new RegExp(macOf(ada), 'g'))).toHaveLength(1);
    },
    10 * minuteMs,
  );

  it(
    'send to the world as themselves alone',
    async () => {
      const listener = room.hearOutside();
      const others = [addressOf(tenant('bob')), '198.51.100.7', hostAddress];
      await python(tenant('ada'), spoof(outerAddress, worldPort, others));
      const heard = await listener.close();
      expect(heard).toContain('genuine');
      expect(heard).not.toContain('spoofed');
    },
    5 * minuteMs,
  );

  it(
    'leave no byte behind, although the agent was killed while it erased, and the neighbour goes on',
    async () => {
      const ada = tenant('ada');
      const secret = 'the-secret-of-the-first-tenant';
      await inside(ada, `echo ${secret} | dd of=/dev/vda bs=1M seek=80 conv=fsync 2>/dev/null; sync`);
      const [disk = ''] = room.disks;
      expect(await holds(disk, secret)).toBe(true);
      const release = { ...orders.release(ada.id, [ada.slot]), grace_seconds: 5 };
      for (const phase of ['wipe', 'unbind']) await dieAt(phase, (work) => host.releaseSlice(release, work));
      const gone = await host.releaseSlice(release, makeWork());
      expect([gone.machine_absent.passed, gone.disk_wiped.passed, gone.devices_unbound.passed]).toEqual([
        true,
        true,
        true,
      ]);
      expect(await holds(disk, secret)).toBe(false);
      expect(await isEmpty(disk)).toBe(true);
      const rules = await room.run('nft', 'list', 'ruleset');
      expect(rules).not.toContain(macOf(ada));
      expect(rules).toContain(macOf(tenant('bob')));
      expect(await inside(tenant('bob'), 'hostname')).toBe('slice-1\n');
      expect(await host.runtimes()).toEqual([{ allocationId: second, shape: 'slice', running: true }]);
    },
    15 * minuteMs,
  );

  it(
    'fail closed with the reason when the first boot cannot install its driver, and leave nothing behind',
    async () => {
      host = await room.open({ driverPackages: ['no-such-driver'] });
      const eve: Tenant = { ...tenant('ada'), user: 'eve', installs: true };
      const failed = host.provisionSlice(orderOf(eve), makeWork());
      await expect(failed).rejects.toMatchObject({
        code: 'guest_setup_failed',
        message: expect.stringMatching(/failed at driver: The driver cannot be installed: .*Could not resolve host/),
      });
      const lines = (await host.consoles()).map(({ text }) => text);
      expect(lines).toContainEqual(expect.stringContaining('gpuaas-guest: driver failed'));
      const gone = await host.releaseSlice({ ...orders.release(eve.id, [eve.slot]), grace_seconds: 0 }, makeWork());
      expect(gone).toMatchObject({ machine_ended: 'destroyed', disk_wiped: { passed: true } });
    },
    15 * minuteMs,
  );

  it(
    'are destroyed when they do not shut down in their time, and both are reported as phases',
    async () => {
      const bob = tenant('bob');
      // Nobody in the machine hears the power button any more.
      await inside(bob, 'killall head');
      const work = makeWork();
      const gone = await host.releaseSlice({ ...orders.release(bob.id, [bob.slot]), grace_seconds: 5 }, work);
      expect(gone).toMatchObject({ machine_ended: 'destroyed', machine_absent: { passed: true } });
      expect(work.phases).toEqual(['shutdown', 'destroy', 'wipe', 'unbind']);
      expect(await host.runtimes()).toEqual([]);
    },
    15 * minuteMs,
  );
});

if (!isRoot) {
  it('are tried as root: they need namespaces and loop devices', () => {
    expect.fail('Run the production suites as root: slices were not tried on this machine.');
  });
}

const wholeOf = async (path: string): Promise<Buffer> => {
  await run('blockdev', ['--flushbufs', path]);
  const handle = await open(path, 'r');
  try {
    return await handle.readFile();
  } finally {
    await handle.close();
  }
};
const holds = async (path: string, words: string) => (await wholeOf(path)).includes(words);
const isEmpty = async (path: string) => (await wholeOf(path)).every((byte) => byte === 0);
