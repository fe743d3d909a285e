import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openPty } from '../../pty.ts';
import { openGuest, sshTo } from './guest.ts';

const run = promisify(execFile);
const address = '127.0.0.1';
/** Ends the connection, opens the client's own command line, and stops the client: unless they are plain characters. */
const escapes = '\r~.\r~C\r~\u001a';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gpuaas-guest-'));
});
afterEach(() => rm(folder, { recursive: true }));

it('gives the client no orders of its own to take, and no way back', () => {
  const argv = sshTo({ address, username: 'ubuntu', keyPath: '/key', knownHosts: '/known' }, '-tt');
  const settings = argv.filter((_, index) => argv[index - 1] === '-o');
  expect(argv.slice(0, 3)).toEqual(['ssh', '-F', '/dev/null']);
  for (const setting of [
    ...['EscapeChar=none', 'EnableEscapeCommandline=no', 'PermitLocalCommand=no', 'ForwardAgent=no'],
    ...['ForwardX11=no', 'ClearAllForwardings=yes', 'ControlPath=none'],
  ]) {
    expect(settings).toContain(setting);
  }
  // A client that does not know a setting refuses to start, unless it was told before.
  expect(settings.indexOf('IgnoreUnknown=EnableEscapeCommandline')).toBeLessThan(
    settings.indexOf('EnableEscapeCommandline=no'),
  );
});

it('hands everything that is typed to the machine, with a real client and a real sshd', async () => {
  for (const name of ['host', 'client'])
    await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, name)]);
  if (process.getuid?.() === 0) await mkdir('/run/sshd', { recursive: true });
  const config = [
    ...[`HostKey ${join(folder, 'host')}`, `AuthorizedKeysFile ${join(folder, 'client.pub')}`, 'StrictModes no'],
    ...['UsePAM no', 'PermitRootLogin yes', 'PidFile none'],
    `ForceCommand stty raw -echo; echo ready; head -c ${escapes.length} | od -An -tx1; echo over`,
  ];
  await writeFile(join(folder, 'config'), `${config.join('\n')}\n`);
  const guest = await openGuest({
    ...{ folder, address, username: userInfo().username, keyPath: join(folder, 'client') },
    hostKey: (await readFile(join(folder, 'host.pub'), 'utf8')).trim(),
  });
  const [file, ...args] = sshTo(guest, '-tt', '-o', `ProxyCommand=/usr/sbin/sshd -i -f ${join(folder, 'config')}`);
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/' };
  const shell = await openPty({ file, args, cwd: '/', env, columns: 80, rows: 24 });
  let said = '';
  let typed = false;
  try {
    for await (const bytes of shell.output) {
      said += Buffer.from(bytes).toString();
      if (!typed && said.includes('ready')) {
        typed = true;
        await shell.write(Buffer.from(escapes));
      }
      if (said.includes('over') || said.includes('ssh>') || said.includes('suspended')) break;
    }
  } finally {
    await shell.end();
  }
  expect(said).toContain(Buffer.from(escapes).toString('hex').match(/../g)?.join(' '));
}, 30_000);
