import { fileURLToPath } from 'node:url';
import type { JumpHost } from '@gpuaas/sdk';
import type { Session } from '../command.ts';
import type { CertificateFiles } from './certificate.ts';
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

type Settings = readonly (readonly [string, string])[];

/** Host keys are known beforehand, from the attestation or from the API, and compared. */
const compared = (session: Session, alias: string): Settings => [
  ['HostKeyAlias', alias],
  ['UserKnownHostsFile', quoted(knownHostsPath(session.around.env))],
  ['GlobalKnownHostsFile', '/dev/null'],
  ['StrictHostKeyChecking', 'yes'],
  ['CheckHostIP', 'no'],
];

/** The settings with which ssh reaches an allocation: through the gateway, and with host keys that are known beforehand. */
export async function sshSettings(session: Session, place: SshPlace): Promise<Settings> {
  return [
    ['User', place.username],
    ...compared(session, place.alias),
    ['ProxyCommand', await selfCommand(session, 'ssh-proxy', place.allocation.id)],
  ];
}

/** The name of the jump host in the settings of ssh. */
export const jumpAlias = 'gpuaas-jump';
/** The same through the jump host, for which ssh needs nothing of ours. */
export const jumpedSettings = (session: Session, place: SshPlace, by = jumpAlias): Settings => [
  ['HostName', place.alias],
  ['User', place.username],
  ...compared(session, place.alias),
  ['ProxyJump', by],
];
export const jumpSettings = (session: Session, { host, port, username }: JumpHost): Settings => [
  ['HostName', host],
  ['Port', String(port)],
  ['User', username],
  ...compared(session, jumpAlias),
];

/** The settings that show a certificate and no other key. */
export const certificateSettings = ({ key, certificate }: CertificateFiles): Settings => [
  ['IdentityFile', quoted(key)],
  ['CertificateFile', quoted(certificate)],
  ['IdentitiesOnly', 'yes'],
];
