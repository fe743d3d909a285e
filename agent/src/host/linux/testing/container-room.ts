import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir, mkdtemp, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import { promisify } from 'node:util';
import { systemClock } from '../../../clock.ts';
import { makeDisk } from '../../../disk.ts';
import { HostFailure } from '../../port.ts';
import { type Argv, makeCommands } from '../commands.ts';
import { podmanIn } from '../containers/argv.ts';
import { prepareEngine } from '../containers/images.ts';
import { type Containers, openContainers } from '../containers/open.ts';
import { type ContainerSettings, placesIn, usualContainers } from '../containers/settings.ts';
import { Dead } from './fixture.ts';

/**
 * A host that runs real containers: podman, runc or crun, nftables, loop devices and a registry with TLS and logins, in a network and a
 * mount namespace of their own, with storage below one folder. A second network namespace is the world outside. GPUs are the one thing
 * that is pretended: a CDI device of the test hands `/dev/null` over under the name of a GPU.
 */
export interface ContainerRoom {
  /** The image of the test: busybox, and a page that says that it lives. */
  readonly image: string;
  /** The same digest, at a registry that answers with another manifest. */
  readonly liar: string;
  readonly settings: ContainerSettings;
  open(more?: Partial<ContainerSettings>): Containers;
  /** Runs a program on the host of the room; throws what it says when it fails. */
  run(...argv: [string, ...string[]]): Promise<string>;
  podman(...words: string[]): Promise<string>;
  readonly places: ReturnType<typeof placesIn>;
  /** The name of its registry, as images carry it. */
  readonly registry: string;
  /** A connection from the network of the room. */
  dial(to: { readonly address: string; readonly port: number }): Duplex;
  close(): Promise<void>;
}

/** A connection from the network of the room: the agent of a real host is in that network itself. */
const piping = `const s = require('node:net').connect(Number(process.argv[2]), process.argv[1]);
  s.on('error', () => process.exit(1)); process.stdin.pipe(s).pipe(process.stdout); s.on('close', () => process.exit(0));`;
function dialWithin([program, ...words]: Argv): Duplex {
  const child = spawn(program, words, { stdio: ['pipe', 'pipe', 'ignore'] });
  const both = Duplex.from({ readable: child.stdout, writable: child.stdin });
  both.once('close', () => child.kill('SIGKILL'));
  return both;
}

const exec = promisify(execFile);
const quick = { timeout: 120_000, maxBuffer: 16 * 1_024 ** 2 };
const patienceMs = 60_000;
export const gpuHere = 'GPU-00000000-0000-4000-8000-000000000001';
export const gpuWithoutDevice = 'GPU-00000000-0000-4000-8000-000000000002';
export const [worldAddress, hostAddress, openPort] = ['203.0.113.1', '203.0.113.2', 9_000];
const usualRegistryPort = 5_000;
const liarRegistry = 'localhost:5001';
const login = { user: 'agent', password: 'a-password-of-the-test' };
const isUnified = existsSync('/sys/fs/cgroup/cgroup.controllers');

export async function openContainerRoom(
  tenants: ReadonlySet<string>,
  registryPort = usualRegistryPort,
): Promise<ContainerRoom> {
  const registry = `localhost:${registryPort}`;
  const folder = await mkdtemp(join(tmpdir(), 'gpuaas-containers-'));
  const children: ChildProcess[] = [];
  const namespaces = await startNamespaces(folder, children);
  const within = (pid: number, argv: Argv): Argv => ['nsenter', `--target=${pid}`, '--net', '--mount', '--', ...argv];
  const run = async (...argv: [string, ...string[]]) => {
    const [program, ...words] = within(namespaces.host, argv);
    return (await exec(program, words, quick)).stdout;
  };
  const settings: ContainerSettings = {
    ...usualContainers,
    registries: [registry, liarRegistry],
    authFile: join(folder, 'logins.json'),
    certificates: join(folder, 'certificates'),
    runtime: isUnified ? 'crun' : 'runc',
    cgroupManager: 'cgroupfs',
    ulimits: { files: 4_096, processes: 4_096 },
    runRoot: join(folder, 'run'),
    logMib: 1,
    reserveBytes: 0,
    namespacesOf: namespaces.host,
  };
  const serve = (pid: number, program: string, ...words: string[]) => {
    const [first, ...rest] = within(pid, [program, ...words]);
    children.push(spawn(first, rest, { stdio: 'ignore' }));
  };
  const places = placesIn(join(folder, 'state/containers'));
  await makeRegistry({ folder, settings, port: registryPort }, serve.bind(undefined, namespaces.host));
  const digest = await pushImage({ folder, settings, run, registry });
  await startLiar(folder, digest, serve.bind(undefined, namespaces.host));
  serve(namespaces.host, process.execPath, '--eval', listener, String(openPort));
  serve(namespaces.world, process.execPath, '--eval', listener, String(openPort));
  for (const pid of [namespaces.host, namespaces.world]) {
    await until('a listener', () =>
      exec('nsenter', [`--target=${pid}`, '--net', '--', 'sh', '-c', `ss -ltn | grep -q :${openPort}`], quick),
    );
  }
  const real = makeCommands();
  let generation = 0;
  const dial: ContainerRoom['dial'] = ({ address, port }) =>
    dialWithin(within(namespaces.host, [process.execPath, '--eval', piping, address, String(port)]));
  return {
    registry,
    dial,
    image: `${registry}/apps/web@${digest}`,
    liar: `${liarRegistry}/apps/web@sha256:${'1'.repeat(64)}`,
    settings,
    places,
    run,
    podman: (...words) => run(...podmanIn(places, settings)(...words)),
    open(more = {}) {
      generation += 1;
      const own = generation;
      return openContainers({
        folder: join(folder, 'state'),
        disk: makeDisk({ forced: false }),
        clock: systemClock,
        settings: { ...settings, ...more },
        commands: {
          async run(argv, limits) {
            if (own !== generation) throw new Dead();
            return real.run(argv, limits);
          },
        },
        async living(allocationId) {
          if (!tenants.has(allocationId)) throw new HostFailure('not_found', 'Nothing runs for this allocation.');
        },
        gpus: async () => [gpuHere, gpuWithoutDevice],
        dial: async (to) => dial(to),
      });
    },
    async close() {
      await run(...podmanIn(places, settings)('rm', '--all', '--force', '--time=0')).catch(() => undefined);
      for (const child of children) child.kill('SIGKILL');
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

const listener = `require('node:net').createServer((socket) => socket.end('open\\n')).listen(Number(process.argv[1]));`;

async function until(what: string, look: () => Promise<unknown>): Promise<void> {
  for (let waited = 0; ; waited += 200) {
    const isThere = await look().then(
      () => true,
      () => false,
    );
    if (isThere) return;
    if (waited > patienceMs) throw new Error(`${what} does not come up`);
    await systemClock.sleep(200);
  }
}

/** Two namespaces of networks with a cable between them. What is mounted in that of the host is gone with its last process. */
async function startNamespaces(folder: string, children: ChildProcess[]) {
  const hold = (...words: string[]) => {
    const child = spawn('unshare', [...words, 'sleep', 'infinity'], { stdio: 'ignore' });
    children.push(child);
    return child.pid ?? 0;
  };
  const [host, world] = [hold('--net', '--mount', '--propagation=private'), hold('--net', '--mount')];
  const at = (pid: number, ...argv: string[]) =>
    exec('nsenter', [`--target=${pid}`, '--net', '--mount', '--', ...argv], quick);
  const ours = await readlink('/proc/self/ns/net');
  for (const pid of [host, world]) {
    await until('a namespace', async () => {
      if ((await readlink(`/proc/${pid}/ns/net`)) === ours) throw new Error('not yet');
    });
  }
  await at(host, 'mkdir', '--parents', '/run/netns', '/etc/cdi');
  await at(host, 'mount', '-t', 'tmpfs', 'netns', '/run/netns');
  await at(host, 'mount', '-t', 'tmpfs', 'cdi', '/etc/cdi');
  // A machine whose distribution puts secrets of its own into every container.
  const machine = join(folder, 'machine');
  await cp('/etc/containers', join(machine, 'settings'), { recursive: true });
  await mkdir(join(machine, 'secrets'));
  await writeFile(join(machine, 'secrets/subscription'), 'of the machine\n');
  await writeFile(join(machine, 'settings/mounts.conf'), `${machine}/secrets:/run/secrets\n`);
  await at(host, 'mount', '--bind', join(machine, 'settings'), '/etc/containers');
  const device = {
    name: gpuHere,
    containerEdits: { deviceNodes: [{ path: '/dev/nvidia-test0', hostPath: '/dev/null' }] },
  };
  const spec = JSON.stringify({ cdiVersion: '0.5.0', kind: 'nvidia.com/gpu', devices: [device] });
  await at(host, 'sh', '-c', 'printf %s "$1" >/etc/cdi/nvidia.json', 'cdi', spec);
  for (const pid of [host, world]) await at(pid, 'ip', 'link', 'set', 'lo', 'up');
  await at(host, 'ip', 'link', 'add', 'uplink', 'type', 'veth', 'peer', 'name', 'cable', 'netns', String(world));
  await at(host, 'ip', 'address', 'add', `${hostAddress}/24`, 'dev', 'uplink');
  await at(host, 'ip', 'link', 'set', 'uplink', 'up');
  await at(world, 'ip', 'address', 'add', `${worldAddress}/24`, 'dev', 'cable');
  await at(world, 'ip', 'link', 'set', 'cable', 'up');
  return { host, world };
}

type Serve = (program: string, ...words: string[]) => void;

/** A registry with a certificate of its own authority and one login. */
async function makeRegistry(
  { folder, settings, port }: { readonly folder: string; readonly settings: ContainerSettings; readonly port: number },
  serve: Serve,
): Promise<void> {
  const certificates = settings.certificates ?? '';
  await mkdir(certificates, { recursive: true });
  const [key, certificate] = [join(folder, 'registry.key'), join(certificates, 'ca.crt')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  await exec('openssl', [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '2',
    '-keyout',
    key,
    '-out',
    certificate,
    ...subject,
  ]);
  const hash = `print crypt($ARGV[0], '$2b$05$abcdefghijklmnopqrstuu')`;
  const { stdout } = await exec('perl', ['-e', hash, login.password]);
  await writeFile(join(folder, 'people'), `${login.user}:${stdout}\n`);
  const auth = Buffer.from(`${login.user}:${login.password}`).toString('base64');
  const auths = Object.fromEntries(settings.registries.map((name) => [name, { auth }]));
  await writeFile(settings.authFile ?? '', JSON.stringify({ auths }), { mode: 0o600 });
  const config = {
    version: '0.1',
    storage: { filesystem: { rootdirectory: join(folder, 'registry') } },
    http: { addr: `127.0.0.1:${port}`, tls: { certificate, key } },
    auth: { htpasswd: { realm: 'test', path: join(folder, 'people') } },
  };
  await writeFile(join(folder, 'registry.yml'), JSON.stringify(config));
  serve('docker-registry', 'serve', join(folder, 'registry.yml'));
}

/** Builds the image from nothing but busybox, with a storage of its own, and answers its digest at the registry. */
async function pushImage({
  folder,
  settings,
  run,
  registry,
}: {
  readonly folder: string;
  readonly settings: ContainerSettings;
  readonly run: ContainerRoom['run'];
  readonly registry: string;
}) {
  const context = join(folder, 'image');
  await mkdir(context);
  await copyFile('/bin/busybox', join(context, 'busybox'));
  await writeFile(join(context, 'index.html'), 'alive\n');
  await writeFile(
    join(context, 'Containerfile'),
    'FROM scratch\nCOPY busybox /bin/busybox\nCOPY busybox /bin/sh\nCOPY index.html /www/index.html\nVOLUME /unbounded\nENTRYPOINT ["/bin/busybox"]\n',
  );
  const builder = placesIn(join(folder, 'builder'));
  await prepareEngine(builder, settings);
  const podman = podmanIn(builder, { ...settings, runRoot: join(folder, 'builder/run') });
  await run(...podman('build', '--quiet', '--tag=test', context));
  const trust = [`--authfile=${settings.authFile}`, `--cert-dir=${settings.certificates}`, '--tls-verify=true'];
  const digestFile = join(folder, 'digest');
  await until('the registry', () =>
    run(
      ...podman('push', '--quiet', ...trust, `--digestfile=${digestFile}`, 'test', `docker://${registry}/apps/web:1`),
    ),
  );
  await run(...podman('rmi', '--all', '--force'));
  return (await readFile(digestFile, 'utf8')).trim();
}

/** A registry that answers every question for a manifest with the same one, whatever digest was asked for. */
async function startLiar(folder: string, digest: string, serve: Serve): Promise<void> {
  const [kind = '', hex = ''] = digest.split(':');
  const blob = join(folder, 'registry/docker/registry/v2/blobs', kind, hex.slice(0, 2), hex, 'data');
  const type = (JSON.parse(await readFile(blob, 'utf8')) as { readonly mediaType?: string }).mediaType ?? '';
  const program = `
    const [blob, key, cert, type] = process.argv.slice(1);
    const read = require('node:fs').readFileSync;
    require('node:https').createServer({ key: read(key), cert: read(cert) }, (request, response) => {
      response.setHeader('content-type', request.url.includes('/manifests/') ? type : 'application/json');
      response.end(request.url.includes('/manifests/') ? read(blob) : '{}');
    }).listen(5001, '127.0.0.1');`;
  serve(
    process.execPath,
    '--eval',
    program,
    blob,
    join(folder, 'registry.key'),
    join(folder, 'certificates/ca.crt'),
    type,
  );
}
