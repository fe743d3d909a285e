import { fileURLToPath } from 'node:url';
import type { Session } from '../command.ts';
import { knownHostsPath } from './files.ts';
import type { SshPlace } from './place.ts';

const program = fileURLToPath(new URL('../../bin/gpuaas.cjs', import.meta.url));
const quoted = (word: string): string => (/^[\w./:@=+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

/** This command line with other words, for the shell that ssh gives a ProxyCommand to. A percent sign means something to ssh. */
export async function selfCommand(session: Session, ...words: readonly string[]): Promise<string> {
  const { name, baseUrl } = await session.profile();
  const all = [process.execPath, program, ...words, '--profile', name, '--base-url', baseUrl];
  return all.map(quoted).join(' ').replaceAll('%', '%%');
}

/** The settings with which ssh reaches an allocation: through the gateway, and with host keys that are known beforehand. */
export async function sshSettings(session: Session, place: SshPlace): Promise<readonly (readonly [string, string])[]> {
  const { env } = session.around;
  return [
    ['User', place.username],
    ['HostKeyAlias', place.alias],
    ['UserKnownHostsFile', quoted(knownHostsPath(env))],
    ['GlobalKnownHostsFile', '/dev/null'],
    ['StrictHostKeyChecking', 'yes'],
    ['CheckHostIP', 'no'],
    ['ProxyCommand', await selfCommand(session, 'ssh-proxy', place.allocation.id)],
  ];
}
