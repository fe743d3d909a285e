import { chmod, readdir, readFile, stat } from 'node:fs/promises';
import type { OciWorkload, TaskParams } from '@gpuaas/contract/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { workloadOrder } from '../../conformance-containers.ts';
import { failureOf, first, makeWork, second } from '../../conformance-rig.ts';
import {
  type ContainerRoom,
  gpuHere,
  gpuWithoutDevice,
  hostAddress,
  openContainerRoom,
  openPort,
  worldAddress,
} from '../testing/container-room.ts';
import { isRoot } from '../testing/fixture.ts';
import type { Containers } from './open.ts';

/**
 * Two tenants with real containers, from a real registry, with real limits and rules. `testing/container-room.ts` says what is pretended.
 * Only root can make namespaces and loop devices, so only root can run this.
 */
const minuteMs = 60_000;
const pids = 64;
const memoryMib = 48;

describe.runIf(isRoot)('containers on podman', () => {
  const tenants = new Set([first, second]);
  let room: ContainerRoom;
  let containers: Containers;
  type Order = TaskParams<'app.oci_launch'>;
  const orderOf = (number: number, script: string, more: Partial<Order> = {}): Order =>
    workloadOrder(number, {
      image: room.image,
      command: ['/bin/busybox', 'sh', '-c', script],
      args: [],
      env: [],
      ports: [],
      volumes: [],
      limits: { cpu_millis: 250, memory_mib: memoryMib, pids, shm_mib: 4, scratch_mib: 4 },
      ...more,
    });
  const launch = (order: Order) => containers.launch(order, makeWork());
  const statusOf = async ({ allocation_id, workload_id }: Order): Promise<OciWorkload | undefined> =>
    (await containers.list({ allocation_id, workload_id }, makeWork()))[0];
  const logOf = async ({ allocation_id, workload_id }: Order) => {
    const { lines } = await containers.logs({ allocation_id, workload_id, tail_lines: 1_000 }, makeWork());
    return lines.map(({ text }) => text);
  };
  /** What a container has printed once it has said that it is done. */
  const saidBy = async (order: Order) => {
    await expect.poll(() => logOf(order), { timeout: minuteMs }).toContain('done');
    return (await logOf(order)).filter((line) => line !== 'done');
  };
  /** What the host of the room is told at a port, asked once or several times one after the other. */
  const answers = async (of: OciWorkload, times = 1, port = 8_080) =>
    room.run(process.execPath, '--eval', asking, `http://${of.address}:${port}/`, String(times));
  const pidOf = async ({ workload_id }: Order) =>
    (await room.podman('container', 'inspect', '--format={{.State.Pid}}', `gpuaas-${workload_id}`)).trim();
  /** A number of a control group, whatever generation of them the machine has. */
  const groupValue = async (order: Order, controller: string, names: readonly [old: string, unified: string]) => {
    const lines = (await readFile(`/proc/${await pidOf(order)}/cgroup`, 'utf8')).trim().split('\n');
    const old = lines.find((line) => line.split(':')[1]?.split(',').includes(controller));
    const path = old
      ? `/sys/fs/cgroup/${controller}${old.split(':')[2]}/${names[0]}`
      : `/sys/fs/cgroup${lines[0]?.split(':')[2]}/${names[1]}`;
    return (await readFile(path, 'utf8')).trim();
  };

  const serving = 'exec /bin/busybox httpd -f -p 8080 -h /www';
  let neighbour: OciWorkload;
  let neighbourOrder: Order;
  beforeAll(async () => {
    room = await openContainerRoom(tenants);
    containers = room.open();
    neighbourOrder = orderOf(1, serving, { allocation_id: second, ports: [{ name: 'http', port: 8_080 }] });
    neighbour = await launch(neighbourOrder);
  }, 10 * minuteMs);
  afterAll(() => room?.close(), 5 * minuteMs);

  it('are fetched by digest over TLS with a login from a file, and answer at the ports that were ordered', async () => {
    expect(neighbour).toMatchObject({ state: 'running', simulated: false, exit_code: null });
    expect(await answers(neighbour)).toBe('alive\n');
    expect(await containers.trouble()).toEqual([]);
  });

  it(
    'are refused with a wrong digest, a registry that lies, one that is not allowed, and a login file that others can read',
    async () => {
      const from = (image: string, number: number) => launch(orderOf(number, 'true', { image }));
      const wrong = room.image.replace(/[0-9a-f]{64}$/, '0'.repeat(64));
      expect(await failureOf(from(wrong, 20))).toBe('image_unavailable');
      expect(await failureOf(from(room.liar, 21))).toBe('image_mismatch');
      expect(await failureOf(from(room.image.replace('localhost:5000', 'elsewhere.test'), 22))).toBe(
        'registry_refused',
      );
      await chmod(room.settings.authFile ?? '', 0o644);
      expect(await failureOf(from(wrong, 23))).toBe('host_not_ready');
      await chmod(room.settings.authFile ?? '', 0o600);
      expect(await containers.list({ allocation_id: first }, makeWork())).toEqual([]);
      expect(await room.run('ip', 'netns', 'list')).not.toContain('0000000000020');
    },
    5 * minuteMs,
  );

  it(
    'get no secret of the machine, whatever its mounts.conf says',
    async () => {
      expect(await room.run('cat', '/etc/containers/mounts.conf')).toMatch(/secrets:\/run\/secrets/);
      const order = orderOf(19, 'ls /run/secrets 2>&1; echo done; sleep 600');
      await launch(order);
      expect(await saidBy(order)).not.toContain('subscription');
      const { allocation_id, workload_id } = order;
      await containers.stop({ allocation_id, workload_id, grace_seconds: 0, remove_volumes: true }, makeWork());
    },
    5 * minuteMs,
  );

  it(
    'have no privileges, a root that cannot be written, their variables as they were given, and their own GPU',
    async () => {
      const script = `
      grep -E '^(CapEff|CapBnd|NoNewPrivs|Seccomp):' /proc/self/status | tr -d '\\t '
      id -u; touch /x 2>/dev/null && echo wrote; touch /tmp/x && echo scratch; ls -d /unbounded 2>/dev/null
      ls /dev | grep nvidia; echo "$ODD"; /bin/busybox env | grep -c '^NVIDIA'; echo done; exec /bin/busybox sleep 100000`;
      const odd = ` a "b" 'c' $HOME #d * \\ = é \u{1f512} `;
      const env = [
        { name: 'ODD', value: odd },
        { name: 'NVIDIA_VISIBLE_DEVICES', value: 'all' },
      ];
      const order = orderOf(2, `${busyboxNames}${script}`, { env, gpu_uuids: [gpuHere] });
      await launch(order);
      expect(await saidBy(order)).toEqual([
        ...['CapEff:0000000000000000', 'CapBnd:0000000000000000', 'NoNewPrivs:1', 'Seccomp:2'],
        ...['10001', 'scratch', 'nvidia-test0', odd, '1'],
      ]);
      expect(await room.podman('container', 'inspect', `gpuaas-${order.workload_id}`)).not.toContain(
        '"Type": "volume"',
      );
      const argv = await room.podman(
        'container',
        'inspect',
        '--format={{json .Config.CreateCommand}}',
        `gpuaas-${order.workload_id}`,
      );
      expect(argv).not.toContain('$HOME #d');
      const missing = launch(orderOf(3, 'true', { gpu_uuids: [gpuWithoutDevice] }));
      expect(await failureOf(missing)).toBe('gpu_missing');
    },
    5 * minuteMs,
  );

  it(
    'reach the world where they may, and neither the host nor each other’s networks nor metadata',
    async () => {
      const places = [
        `${worldAddress} ${openPort}`,
        `${hostAddress} ${openPort}`,
        `10.101.0.1 ${openPort}`,
        `10.101.1.1 ${openPort}`,
        `${neighbour.address} 8080`,
        '169.254.169.254 80',
      ];
      const script = `${busyboxNames}
      for place in ${places.map((one) => `'${one}'`).join(' ')}; do
        if [ -n "$(nc -w 4 $place </dev/null 2>/dev/null)" ]; then echo "$place reached"; else echo "$place not reached"; fi
      done; echo done; exec /bin/busybox sleep 100000`;
      const [free, closed] = [orderOf(4, script, { egress: 'internet' }), orderOf(5, script)];
      await launch(free);
      await launch(closed);
      const said = await saidBy(free);
      expect(said).toEqual(places.map((place, index) => `${place} ${index === 0 ? 'reached' : 'not reached'}`));
      expect(await saidBy(closed)).toEqual(places.map((place) => `${place} not reached`));
      // The host itself reaches what was ordered and nothing else.
      await expect(answers(neighbour, 1, 8_081)).rejects.toThrow();
      expect(await answers(neighbour)).toBe('alive\n');
    },
    5 * minuteMs,
  );

  it(
    'keep what they write in a volume, up to its size and not beyond it',
    async () => {
      const volumes = [{ name: 'data', path: '/data', size_mib: 16, read_only: false }];
      const script = `${busyboxNames} dd if=/dev/zero of=/data/big bs=1M count=64 2>/dev/null || echo full; echo done; exec /bin/busybox sleep 100000`;
      const order = orderOf(6, script, { volumes });
      await launch(order);
      expect(await saidBy(order)).toEqual(['full']);
      const reader = orderOf(
        7,
        `${busyboxNames} touch /data/x 2>/dev/null && echo wrote; wc -c </data/big; echo done; exec /bin/busybox sleep 100000`,
        {
          volumes: volumes.map((one) => ({ ...one, read_only: true })),
        },
      );
      await launch(reader);
      const [written] = await saidBy(reader);
      expect(Number(written)).toBeGreaterThan(1_024 ** 2);
      expect(Number(written)).toBeLessThan(16 * 1_024 ** 2);
      const grown = orderOf(8, 'true', { volumes: volumes.map((one) => ({ ...one, size_mib: 32 })) });
      expect(await failureOf(launch(grown))).toBe('workload_conflict');
    },
    5 * minuteMs,
  );

  it(
    'are refused with a writable root on a file system that cannot bound it, and nothing of them stays',
    async () => {
      const order = orderOf(9, 'true', { root: { kind: 'writable', size_mib: 64 } });
      const kind = (
        await room.run('findmnt', '--noheadings', '--output=FSTYPE', '--target', room.places.storage)
      ).trim();
      if (kind === 'xfs') return expect(kind).toBe('xfs');
      expect(await failureOf(launch(order))).toBe('quota_unsupported');
      expect(await statusOf(order)).toBeUndefined();
      expect(await room.run('ip', 'netns', 'list')).not.toContain(order.workload_id);
    },
    5 * minuteMs,
  );

  it(
    'print as much as they like into a log that does not grow',
    async () => {
      const script = `${busyboxNames} yes "$(printf %01000d 0)" | head -n 3000; echo done; exec /bin/busybox sleep 100000`;
      const order = orderOf(10, script);
      await launch(order);
      await saidBy(order);
      expect((await stat(room.places.log(first, order.workload_id))).size).toBeLessThan(1.2 * 1_024 ** 2);
    },
    5 * minuteMs,
  );

  it(
    'leave the other tenant’s answering while one forks without end and another takes all memory',
    async () => {
      const volumes = [{ name: 'bell', path: '/bell', size_mib: 16, read_only: false }];
      const bomb = orderOf(11, `exec /bin/busybox awk 'BEGIN { while (1) system("/bin/busybox sleep 100000 &") }'`);
      const hog = orderOf(
        12,
        `${busyboxNames} until [ -e /bell/go ]; do sleep 1; done; exec /bin/busybox awk 'BEGIN { s = "xxxxxxxx"; while (1) s = s s }'`,
        { volumes },
      );
      await launch(bomb);
      await launch(hog);
      expect(await groupValue(hog, 'memory', ['memory.limit_in_bytes', 'memory.max'])).toBe(
        String(memoryMib * 1_024 ** 2),
      );
      expect(await groupValue(bomb, 'pids', ['pids.max', 'pids.max'])).toBe(String(pids));
      expect((await groupValue(bomb, 'cpu', ['cpu.cfs_quota_us', 'cpu.max'])).split(' ')[0]).toBe('25000');
      await expect
        .poll(async () => /max [1-9]/.test(await groupValue(bomb, 'pids', ['pids.events', 'pids.events'])), {
          timeout: minuteMs,
        })
        .toBe(true);
      await room.run('touch', `${room.places.mount(first, 'bell')}/go`);
      for (let asked = 0; asked < 4; asked += 1) {
        expect(await answers(neighbour, 10)).toBe('alive\n'.repeat(10));
        expect(Number(await groupValue(bomb, 'pids', ['pids.current', 'pids.current']))).toBeLessThanOrEqual(pids);
      }
      await expect.poll(async () => (await statusOf(hog))?.state, { timeout: minuteMs }).toBe('exited');
      expect(await statusOf(hog)).toMatchObject({ exit_code: 137, address: null });
      expect((await statusOf(bomb))?.state).toBe('running');
      expect(await statusOf(neighbourOrder)).toEqual(neighbour);
      expect(await answers(neighbour)).toBe('alive\n');
    },
    5 * minuteMs,
  );

  it(
    'are found again by an agent that was restarted, which touches no container of others',
    async () => {
      await room.podman('create', '--name=of-an-operator', '--network=none', '--pull=never', room.image, 'true');
      containers = room.open();
      await containers.resume();
      expect(await statusOf(neighbourOrder)).toEqual(neighbour);
      expect(await launch(neighbourOrder)).toEqual(neighbour);
      expect(await answers(neighbour)).toBe('alive\n');
      expect(await room.podman('ps', '--all', '--format={{.Names}}')).toContain('of-an-operator');
    },
    5 * minuteMs,
  );

  it(
    'end when their lease does, and are gone with a stop and a release, with their volumes and networks',
    async () => {
      const stopped = await containers.stop(
        { allocation_id: second, workload_id: neighbourOrder.workload_id, grace_seconds: 1, remove_volumes: true },
        makeWork(),
      );
      expect([stopped.container_absent.passed, stopped.network_absent.passed]).toEqual([true, true]);
      expect(await failureOf(launch(neighbourOrder))).toBe('workload_conflict');
      await containers.endAll(first);
      const left = await containers.list({ allocation_id: first }, makeWork());
      expect(left.filter(({ state }) => state === 'running')).toEqual([]);
      expect(await failureOf(launch(orderOf(13, 'true')))).toBe('lease_conflict');

      for (const allocation of [first, second]) {
        expect((await containers.release(allocation, makeWork())).passed).toBe(true);
        expect((await containers.release(allocation, makeWork())).passed).toBe(true);
      }
      expect((await room.podman('ps', '--all', '--format={{.Names}}')).trim()).toBe('of-an-operator');
      await room.podman('rm', '--force', 'of-an-operator');
      expect((await room.run('ip', 'netns', 'list')).trim()).toBe('');
      expect(await room.run('ip', '-brief', 'link')).not.toContain('gpuaas-');
      expect(await room.run('nft', 'list', 'tables')).not.toContain('gpuaas_containers');
      expect(await room.run('losetup', '--list', '--noheadings', '--output=BACK-FILE')).not.toContain(
        room.places.own(first),
      );
      expect(await readdir(`${room.places.storage}/../of`)).toEqual([]);
      expect(await readdir(room.places.records)).toEqual([]);
    },
    5 * minuteMs,
  );
});

const asking = `
  const [url, times] = process.argv.slice(1);
  (async () => {
    for (let asked = 0; asked < Number(times); asked += 1) {
      const answer = await fetch(url, { signal: AbortSignal.timeout(20000), headers: { connection: 'close' } });
      process.stdout.write(await answer.text());
    }
  })().catch(() => process.exit(1));`;

/** The image has one program; these words of the shell call its parts. */
const busyboxNames = ['grep', 'tr', 'ls', 'touch', 'nc', 'dd', 'wc', 'head', 'yes', 'sleep', 'id']
  .map((name) => `${name}() { /bin/busybox ${name} "$@"; }; `)
  .join('');

if (!isRoot) {
  it('are tried as root: they need namespaces and loop devices', () => {
    expect.fail('Run the production suites as root: containers were not tried on this machine.');
  });
}
