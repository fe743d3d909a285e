import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { systemClock } from '../../../clock.ts';
import { makeDisk } from '../../../disk.ts';
import type { Host } from '../../port.ts';
import { type Argv, type Commands, makeCommands } from '../commands.ts';
import { openLinuxHost } from '../host.ts';
import { type Processes, readProcesses } from '../removal/processes.ts';
import { greetSsh } from '../ssh/ssh.ts';
import { tenantKeyLines } from '../ssh/sshd-settings.ts';
import { Dead, testUid } from './fixture.ts';
import { growMachine } from './machines.ts';

/**
 * This machine, with real users and a real sshd. Two things are not real: the GPU, whose tool answers as an H200's
 * would, and the restart, which only counts as one.
 */
export interface RealHost {
  readonly login: { readonly username: string; readonly uid: number; readonly gid: number };
  readonly homes: string;
  readonly calls: Argv[];
  open(): Promise<Host>;
  keysOf(username: string): Promise<string[]>;
  /** Logs in as a person would, and answers what the command printed; throws what ssh says otherwise. */
  ssh(keyFile: string, command: string): Promise<string>;
  /** A new key; the path of the private half, and the public half as it is installed. */
  makeKey(name: string): Promise<{ readonly path: string; readonly key: string }>;
  /** The fingerprint that a client sees. */
  seenFingerprint(): Promise<string>;
  close(): Promise<void>;
}

const run = promisify(execFile);
const prefix = 'gputest-';
const sshdPath = '/usr/sbin/sshd';
const patienceMs = 20_000;

/** One suite at a time has the machine: a second would find a stranger on it. The name goes with the process. */
export async function holdMachine(): Promise<Server> {
  for (;;) {
    const server = createServer();
    const isOurs = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen('\0gpuaas-linux-host-suite', () => resolve(true));
    });
    if (isOurs) return server;
    await systemClock.sleep(250);
  }
}

/** Removes what a suite that was killed has left: names and numbers that only these suites use. */
export async function sweepMachine(): Promise<void> {
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  for (const [name = '', , uid = ''] of lines) {
    if (name.startsWith(prefix) && Number(uid) >= 1_900_000_000)
      await makeCommands().run(['userdel', '--remove', '--', name]);
  }
}

export async function makeRealHost(
  options: { readonly usesPam?: boolean; readonly strangers?: readonly number[] } = {},
): Promise<RealHost> {
  const folder = await mkdtemp(join(tmpdir(), 'gpuaas-real-'));
  await chmod(folder, 0o711);
  const homes = join(folder, 'home');
  const { says } = await growMachine(join(folder, 'tree'), { gpus: 2 });
  // sshd takes no keys from a folder below one that everybody may write to, as /tmp is.
  const keys = await mkdtemp('/run/gpuaas-keys-');
  const sshd = await startSshd(folder, keys, options.usesPam ?? true);
  const uid = testUid();
  const login = { username: `${prefix}${uid.toString(36)}`, uid, gid: uid };
  const calls: Argv[] = [];
  const hosts: Host[] = [];
  const real = makeCommands();
  let generation = 0;
  let boots = 1;

  const commandsOf = (own: number): Commands => ({
    async run(argv, limits) {
      if (own !== generation) throw new Dead();
      calls.push(argv);
      if (argv[0] === 'systemctl') {
        boots += 1;
        return { status: 0, stdout: '', stderr: '' };
      }
      return says.get(argv.join(' ')) ?? real.run(argv, limits);
    },
  });

  // Other suites have tenants on this machine too, so only those that a test names count as strangers.
  const processesOf = (commands: Commands): Processes => {
    const processes = readProcesses({ commands });
    const isKnown = (uid: number) => uid === login.uid || options.strangers?.includes(uid);
    return { ...processes, all: async () => (await processes.all()).filter(({ uid }) => isKnown(uid)) };
  };

  return {
    login,
    homes,
    calls,
    async open() {
      generation += 1;
      const own = generation;
      const disk = makeDisk({ forced: false });
      const host = await openLinuxHost({
        folder: join(folder, 'state'),
        homes,
        busRoot: join(folder, 'tree'),
        keysFolder: keys,
        sshdConfig: join(folder, 'sshd_config'),
        clock: systemClock,
        commands: commandsOf(own),
        processes: processesOf(commandsOf(own)),
        disk: {
          ...disk,
          write: async (...of) => {
            if (own !== generation) throw new Dead();
            await disk.write(...of);
          },
        },
        kernelLog: { read: async () => [] },
        door: { address: '127.0.0.1', port: sshd.port },
        bootId: async () => String(boots),
        graceMs: 500,
        patienceMs,
      });
      hosts.push(host);
      return host;
    },
    async keysOf(username) {
      const text = await readFile(join(keys, username), 'utf8').catch(() => '');
      return text.split('\n').filter((line) => line !== '');
    },
    async ssh(keyFile, command) {
      const settings = [
        'BatchMode=yes',
        'StrictHostKeyChecking=no',
        'UserKnownHostsFile=/dev/null',
        'IdentitiesOnly=yes',
      ];
      const words = ['-F', '/dev/null', '-i', keyFile, '-p', `${sshd.port}`, ...settings.flatMap((one) => ['-o', one])];
      const options = { timeout: patienceMs };
      const { stdout } = await run('ssh', [...words, `${login.username}@127.0.0.1`, command], options);
      return stdout;
    },
    async makeKey(name) {
      const path = join(folder, name);
      await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', path]);
      return { path, key: (await readFile(`${path}.pub`, 'utf8')).split(' ').slice(0, 2).join(' ') };
    },
    async seenFingerprint() {
      const scan = await run('ssh-keyscan', ['-t', 'ed25519', '-p', `${sshd.port}`, '127.0.0.1']);
      await writeFile(join(folder, 'seen'), scan.stdout.split(' ').slice(1).join(' '));
      return (await run('ssh-keygen', ['-l', '-f', join(folder, 'seen')])).stdout.split(' ')[1] ?? '';
    },
    async close() {
      const last = hosts.at(-1);
      for (const { allocationId } of (await last?.runtimes()) ?? []) {
        const work = { generation: 1_000, signal: new AbortController().signal, phase: () => undefined };
        await last?.revokeUser({ allocation_id: allocationId, login }, work);
      }
      for (const host of hosts) await host.close();
      await sshd.close();
      await rm(folder, { recursive: true, force: true });
      await rm(keys, { recursive: true, force: true });
    },
  };
}

async function startSshd(
  folder: string,
  keys: string,
  usesPam: boolean,
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const port = await freePort();
  // The keys of the machine itself, which sshd would make at its first start, and where sshd goes to have no rights.
  await run('ssh-keygen', ['-A']);
  await mkdir('/run/sshd', { recursive: true, mode: 0o755 });
  const lines = [
    `Port ${port}`,
    'ListenAddress 127.0.0.1',
    'HostKey /etc/ssh/ssh_host_ed25519_key',
    `UsePAM ${usesPam ? 'yes' : 'no'}`,
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'PidFile none',
    'MaxStartups 100',
    'Subsystem sftp internal-sftp',
    ...tenantKeyLines(keys),
  ];
  const config = join(folder, 'sshd_config');
  await writeFile(config, `${lines.join('\n')}\n`);
  const child: ChildProcess = spawn(sshdPath, ['-D', '-e', '-f', config], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-4_000);
  });
  const gone = new Promise((resolve) => child.once('exit', resolve));
  for (let waited = 0; !(await greetSsh({ address: '127.0.0.1', port })); waited += 50) {
    if (child.exitCode !== null || waited > patienceMs) throw new Error(`sshd does not start: ${said}`);
    await systemClock.sleep(50);
  }
  return {
    port,
    async close() {
      child.kill('SIGTERM');
      await gone;
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
