import { type ChildProcess, execFile, spawn as spawnChild } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import { spawn } from '@lydell/node-pty';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../../src/domains/outbox/testing.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { makeBrowser, walkThrough } from '../../../src/ports/identity-provider/conformance-browser.ts';
import { freePort } from '../../chaos/children.ts';
import { endAll, type Started, start } from '../support/npm-start.ts';

/** Real OpenSSH clients against `npm start`: command line, api, gateway and agent are all there; the machine is simulated. */
const run = promisify(execFile);
const program = join(import.meta.dirname, '../../../../cli/bin/gpuaas.cjs');
const patience = 240_000;

let folder: string;
let started: Started;
const at = (name: string) => join(folder, name);
const env = () => ({
  PATH: process.env['PATH'] ?? '',
  HOME: at('home'),
  TERM: 'xterm-256color',
  GPUAAS_BASE_URL: started.fact('URL'),
});
const call = async (file: string, args: readonly string[]): Promise<string> =>
  (await run(file, [...args], { env: env(), cwd: folder, timeout: 60_000 })).stdout;
const gpuaas = (...args: readonly string[]) => call(process.execPath, [program, ...args]);
const options = () => ['-F', at('ssh_config'), '-i', at('key'), '-o', 'BatchMode=yes'];

async function signIn(login = 'member', ...flags: readonly string[]): Promise<void> {
  const [password = ''] = started.fact('Password').split(' ');
  const browser = makeBrowser(started.fact('URL'));
  const terminal = spawn(process.execPath, [program, 'login', ...flags], {
    cols: 100,
    rows: 30,
    cwd: folder,
    env: env(),
  });
  let [screen, isAsked] = ['', false];
  terminal.onData((more) => {
    screen += more;
    const address = /^ {2}(http\S+)\r?$/m.exec(stripVTControlCharacters(screen))?.[1];
    if (!address || isAsked) return;
    isAsked = true;
    const walk = async () => walkThrough(browser, await browser.open(address), { login, password });
    walk().catch(() => terminal.kill());
  });
  const code = await new Promise((resolve) => terminal.onExit(({ exitCode }) => resolve(exitCode)));
  expect(code, screen).toBe(0);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gpuaas-ssh-'));
  await chmod(folder, 0o711);
  await mkdir(at('home'));
  const port = String(await freePort());
  started = await start(['--data', at('data'), '--bare', '--port', port, '--host-speed', '200']);
  await signIn();
  await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', at('key')]);
  await gpuaas('key', 'add', at('key.pub'), '--name', 'laptop');
  await eventually(async () => {
    await systemClock.sleep(300);
    return (await gpuaas('sku', 'list')).includes('h200-sxm-slice') ? true : undefined;
  });
  await gpuaas('launch', 'h200-sxm-slice', '--name', 'first', '--ssh-key', 'laptop', '--for', '1h', '--yes');
  await writeFile(at('ssh_config'), await gpuaas('ssh-config'));
}, patience);
afterAll(async () => {
  await started?.kill('SIGTERM');
  await endAll();
  await rm(folder, { recursive: true, force: true });
});

/** ssh with nothing of ours on the way: the settings name the jump host, and the key that it is to be shown. */
async function writeJumpConfig(): Promise<void> {
  await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', at('jump_key')]);
  await gpuaas('key', 'add', at('jump_key.pub'), '--name', 'jump');
  const text = await gpuaas('ssh-config', '--jump');
  expect(text).not.toContain('ProxyCommand');
  await writeFile(at('jump_config'), text.replace('Host gpuaas-jump\n', `$&  IdentityFile ${at('jump_key')}\n`));
}
const jumped = (...more: readonly string[]) => [
  '-F',
  at('jump_config'),
  '-i',
  at('key'),
  '-o',
  'BatchMode=yes',
  ...more,
];
const failure = (args: readonly string[]) =>
  run('ssh', [...args], { env: env(), cwd: folder, timeout: 60_000 }).then(
    () => 'it did',
    (error: { stderr: string }) => error.stderr,
  );

describe('SSH through the jump host', () => {
  it(
    'runs commands, and carries scp and sftp byte for byte, without our command line',
    async () => {
      await writeJumpConfig();
      expect(await call('ssh', [...jumped(), 'first.gpuaas', 'nvidia-smi -L'])).toMatch(/^GPU 0: NVIDIA H200/);
      const bytes = randomBytes(3_000_000);
      await writeFile(at('sent'), bytes);
      await call('scp', ['-q', ...jumped(), at('sent'), 'first.gpuaas:by-jump']);
      await writeFile(at('batch'), `get by-jump ${at('back')}\n`);
      await call('sftp', ['-q', '-b', at('batch'), ...jumped(), 'first.gpuaas']);
      expect((await readFile(at('back'))).equals(bytes)).toBe(true);
      const listed = JSON.parse(await gpuaas('terminal-sessions', 'first', '-o', 'json')) as { ssh_key_id: unknown }[];
      expect(listed.filter(({ ssh_key_id }) => ssh_key_id !== null).length).toBeGreaterThanOrEqual(3);
    },
    patience,
  );

  it(
    'takes the line that the console shows: ssh -J, with host keys that are known beforehand',
    async () => {
      const { known_hosts, host, port } = JSON.parse(await gpuaas('ssh-jump', '-o', 'json')) as {
        readonly known_hosts: readonly string[];
        readonly host: string;
        readonly port: number;
      };
      const known = await readFile(join(at('home'), '.config/gpuaas/ssh/known_hosts'), 'utf8');
      await writeFile(at('known'), `${known_hosts.join('\n')}\n${known}`);
      const [alias = ''] =
        known
          .split('\n')
          .find((line) => !line.startsWith('gpuaas-jump'))
          ?.split(' ') ?? [];
      await writeFile(at('plain_config'), `UserKnownHostsFile ${at('known')}\nIdentityFile ${at('key')}\n`);
      const user = /User (?!jump)(\S+)/.exec(await readFile(at('jump_config'), 'utf8'))?.[1];
      const strict = ['-F', at('plain_config'), '-o', 'BatchMode=yes', '-o', 'StrictHostKeyChecking=yes'];
      const line = [...strict, '-J', `jump@${host}:${port}`, `${user}@${alias}`, 'echo in'];
      expect(await call('ssh', line)).toBe('in\n');
      await writeFile(at('known'), known);
      expect(await failure(line)).toMatch(/Host key verification failed/);
    },
    patience,
  );

  it(
    'refuses a key that nobody registered, a shell of its own, other ports, and machines that are not there',
    async () => {
      await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', at('stranger')]);
      const text = await readFile(at('jump_config'), 'utf8');
      await writeFile(at('stranger_config'), text.replace(at('jump_key'), at('stranger')));
      const strange = ['-F', at('stranger_config'), '-o', 'BatchMode=yes'];
      expect(await failure([...strange, '-i', at('key'), 'first.gpuaas', 'true'])).toMatch(/Permission denied/);
      expect(await failure([...jumped(), 'gpuaas-jump'])).toMatch(/jump host without a shell/);
      expect(await failure([...jumped(), 'gpuaas-jump', 'id'])).toMatch(/jump host without a shell/);
      expect(await failure([...jumped('-W', 'first:80'), 'gpuaas-jump'])).toMatch(/reaches port 22 alone/);
      expect(await failure([...jumped('-W', 'nothing:22'), 'gpuaas-jump'])).toMatch(/is called nothing/);
    },
    patience,
  );

  it(
    'ends while it runs when its key is removed, though the machine still knows the other one',
    async () => {
      const child: ChildProcess = spawnChild('ssh', [...jumped(), 'first.gpuaas', 'echo in; sleep 300'], {
        ...{ env: env(), cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] },
      });
      await once(child.stdout as NodeJS.ReadableStream, 'data');
      const gone = once(child, 'close');
      await gpuaas('key', 'rm', 'jump', '--yes');
      expect((await gone)[0]).toBe(255);
      expect(await failure([...jumped(), 'first.gpuaas', 'true'])).toMatch(/Permission denied/);
      expect(await gpuaas('ssh', 'first', '-i', at('key'), 'echo still')).toBe('still\n');
    },
    patience,
  );
});

describe('SSH by a certificate of some minutes', () => {
  it(
    'reaches the machine through the gateway and through the jump host, with no key installed, and is revoked',
    async () => {
      await gpuaas('launch', 'h200-sxm-slice', '--name', 'bare', '--ssh-key', 'none', '--for', '1h', '--yes');
      await expect(gpuaas('ssh', 'bare', '-i', at('key'), 'true')).rejects.toThrow(/Permission denied/);
      expect(await gpuaas('ssh', 'bare', '--certificate', '--', 'nvidia-smi', '-L')).toMatch(/^GPU 0: NVIDIA H200/);
      await writeFile(at('certificate_config'), await gpuaas('ssh-config', '--certificate'));
      const plain = ['-F', at('certificate_config'), '-o', 'BatchMode=yes'];
      expect(await call('ssh', [...plain, 'bare.gpuaas', 'echo in'])).toBe('in\n');
      await writeFile(at('sent'), randomBytes(200_000));
      await call('scp', ['-q', ...plain, at('sent'), 'bare.gpuaas:by-certificate']);
      await writeFile(at('both_config'), await gpuaas('ssh-config', '--certificate', '--jump'));
      const jumps = ['-F', at('both_config'), '-o', 'BatchMode=yes'];
      expect(await call('ssh', [...jumps, 'bare.gpuaas', 'wc -c < by-certificate'])).toBe('200000\n');
      const child: ChildProcess = spawnChild('ssh', [...jumps, 'bare.gpuaas', 'echo in; sleep 300'], {
        ...{ env: env(), cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] },
      });
      await once(child.stdout as NodeJS.ReadableStream, 'data');
      const gone = once(child, 'close');
      const [latest] = JSON.parse(await gpuaas('ssh-certificates', 'bare', '-o', 'json')) as { id: string }[];
      await gpuaas('ssh-certificate-revoke', 'bare', latest?.id ?? '', '--yes');
      expect((await gone)[0]).toBe(255);
      await gpuaas('release', 'bare', '--yes', '--wait');
    },
    patience,
  );
});

describe('SSH through the gateway', () => {
  it(
    'runs commands, and carries scp, rsync and sftp byte for byte',
    async () => {
      expect(await gpuaas('ssh', 'first', '-i', at('key'), 'nvidia-smi -L')).toMatch(/^GPU 0: NVIDIA H200/);
      const failed = await run('ssh', [...options(), 'first.gpuaas', 'exit 7'], { env: env() }).catch(
        (error: { code: number }) => error.code,
      );
      expect(failed).toBe(7);
      const bytes = randomBytes(3_000_000);
      await writeFile(at('sent'), bytes);
      await call('scp', ['-q', ...options(), at('sent'), 'first.gpuaas:by-scp']);
      await call('rsync', ['-e', ['ssh', ...options()].join(' '), at('sent'), 'first.gpuaas:by-rsync']);
      await writeFile(at('batch'), `get by-rsync ${at('back')}\n`);
      await call('sftp', ['-q', '-b', at('batch'), ...options(), 'first.gpuaas']);
      expect((await readFile(at('back'))).equals(bytes)).toBe(true);
      expect(await call('ssh', [...options(), 'first.gpuaas', 'cmp by-scp by-rsync && echo same'])).toBe('same\n');
    },
    patience,
  );

  it(
    'refuses a host whose key is not the attested one',
    async () => {
      const known = join(at('home'), '.config/gpuaas/ssh/known_hosts');
      const right = await readFile(known, 'utf8');
      const [alias = ''] = right.split(' ');
      const [type, other] = (await readFile(at('key.pub'), 'utf8')).split(' ');
      await writeFile(known, `${alias} ${type} ${other}\n`);
      await expect(call('ssh', [...options(), 'first.gpuaas', 'true'])).rejects.toThrow(/Host key verification failed/);
      await writeFile(known, right);
    },
    patience,
  );

  it(
    'forwards a port that policy allows, for several connections at once, and no other port',
    async () => {
      const server = createServer((socket) => socket.pipe(socket));
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      const local = await freePort();
      const forward = spawnChild(process.execPath, [program, 'port-forward', 'first', `${local}:${port}`], {
        ...{ env: env(), cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
      });
      await once(forward.stderr as NodeJS.ReadableStream, 'data');
      const { connect } = await import('node:net');
      const echo = async (bytes: Buffer) => {
        const socket = connect(local, '127.0.0.1');
        socket.end(bytes);
        const chunks: Buffer[] = [];
        for await (const chunk of socket) chunks.push(chunk as Buffer);
        return Buffer.concat(chunks);
      };
      const sent = [randomBytes(700_000), randomBytes(10), randomBytes(300_000)];
      expect(await Promise.all(sent.map(echo))).toEqual(sent);
      forward.kill('SIGINT');
      expect((await once(forward, 'close'))[0]).toBe(0);
      server.close();
      await expect(gpuaas('port-forward', 'first', '22')).rejects.toThrow(/Port 22 is not allowed/);
    },
    patience,
  );

  it(
    'ends while it runs when its key is removed, and the session is in the list with its end',
    async () => {
      const child: ChildProcess = spawnChild('ssh', [...options(), 'first.gpuaas', 'echo in; sleep 300'], {
        ...{ env: env(), cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] },
      });
      await once(child.stdout as NodeJS.ReadableStream, 'data');
      const gone = once(child, 'close');
      await gpuaas('key', 'rm', 'laptop', '--yes');
      expect((await gone)[0]).toBe(255);
      await expect(call('ssh', [...options(), 'first.gpuaas', 'true'])).rejects.toThrow(/Permission denied/);
      const ended = await eventually(async () => {
        const listed = await gpuaas('terminal-sessions', 'first', '--live', 'false', '-o', 'json');
        const sessions = JSON.parse(listed) as { kind: string; end_reason: string }[];
        return sessions.filter(({ kind }) => kind === 'ssh').length >= 8 ? sessions : undefined;
      });
      expect(new Set(ended.map(({ kind }) => kind))).toEqual(new Set(['ssh', 'forward']));
    },
    patience,
  );
});

describe('SSH where sessions have to be recorded', () => {
  it(
    'is refused by the jump host with the reason',
    async () => {
      await rm(at('jump_key'));
      await rm(at('jump_key.pub'));
      await writeJumpConfig();
      await signIn('operator', '--profile', 'operator');
      const because = ['--reason', 'a test', '--profile', 'operator', '--yes'];
      await gpuaas('ops', 'policy', 'set', 'terminal.recording', 'output', '--level', 'global', ...because);
      const refused = await eventually(async () => {
        const said = await failure([...jumped(), 'first.gpuaas', 'true']);
        return /recorded/.test(said) ? said : undefined;
      });
      expect(refused).toMatch(/Sessions in this allocation are recorded/);
    },
    patience,
  );
});
