import { privateFileMode, secretFileMode } from '../facts.ts';
import { type AgentPackages, digestOf, installScript, settingsPath, unit } from './install-script.ts';

/** Where hosts enrol, and how they know that they talk to us. */
export interface NodeDoor {
  readonly url: string;
  /** SHA-256 of the certificate of our authority; undefined where the host has a trust file of its own. */
  readonly fingerprint: string | undefined;
}
interface Invitation {
  readonly token: string;
  readonly purpose: 'enrol' | 'recover';
}

/** Quoted for a shell whatever it contains; what needs no quotes has none. */
const quoted = (word: string): string => (/^[\w/.:=@+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);
const command = (...words: readonly string[]): string => words.map(quoted).join(' ');

/**
 * The settings of an agent, one a line. Those who read the file agree on plain values and differ on the rest, so that
 * only plain ones are written.
 */
function settingsFile(settings: Readonly<Record<string, string>>): string {
  return Object.entries(settings)
    .map(([name, value]) => {
      if (!/^[\w/.:@+[\]-]+$/.test(value))
        throw new Error(`${name} cannot be written into a file of settings as it is`);
      return `${name}=${value}\n`;
    })
    .join('');
}

/**
 * One line to paste. With a package it fetches the installer by its digest, verifies it and gives it the token. Without one the
 * agent has to be on the host: a host that enrols learns our address for good; one that recovers has its settings already, and
 * keeps them.
 */
export function installCommand(door: NodeDoor, invitation: Invitation, packages?: AgentPackages): string {
  if (packages && invitation.purpose === 'enrol') return installLine(door, invitation.token, packages);
  return enrolLine(door, invitation);
}

function installLine(door: NodeDoor, token: string, packages: AgentPackages): string {
  const digest = digestOf(installScript(door, packages));
  // A folder of everybody may be the current one: the name must be one that nobody can guess.
  return [
    `(f=$(mktemp) && trap 'rm -f "$f"' EXIT`,
    `${command('curl', '-fsSo')} "$f" ${quoted(`${packages.downloads}/${digest}.sh`)}`,
    `echo "${digest}  $f" | sha256sum -c -`,
    `${command('echo', token)} | sudo sh "$f")`,
  ].join(' && ');
}

function enrolLine(door: NodeDoor, { token, purpose }: Invitation): string {
  const pin = door.fingerprint === undefined ? [] : ['--ca-fingerprint', door.fingerprint];
  const agent = command('sudo', 'node-agent', 'enrol', '--url', door.url, ...pin, '--token', '-');
  // `echo` is part of the shell. As an argument of a program the token could be read by every user of the host.
  const enrol = `${command('echo', token)} | ${agent}`;
  if (purpose === 'recover') return `${enrol} && ${command('sudo', 'systemctl', 'restart', unit)}`;
  const settings = settingsFile({ GPUAAS_API_URL: door.url }).trimEnd();
  const write = command('sudo', 'install', '-D', '-m', secretFileMode, '/dev/stdin', settingsPath);
  // Before the token is spent: it stops with advice where sshd cannot be configured.
  const prepare = command('sudo', 'node-agent', 'prepare');
  const start = command('sudo', 'systemctl', 'enable', '--now', unit);
  return `${command('echo', settings)} | ${write} && ${prepare} && ${enrol} && ${start}`;
}

/** A folder that is gone with the next boot. */
const cloudFolder = '/run/gpuaas-enrol';
/** The installer itself is in the document: what is not fetched need not be verified. */
function cloudInstall(door: NodeDoor, token: string, packages: AgentPackages) {
  const [script, tokenFile] = [`${cloudFolder}/install.sh`, `${cloudFolder}/token`];
  const file = { owner: 'root:root' };
  return {
    write_files: [
      { path: script, ...file, permissions: privateFileMode, content: installScript(door, packages) },
      { path: tokenFile, ...file, permissions: secretFileMode, content: `${token}\n` },
    ],
    runcmd: [
      ['sh', script, '--token-file', tokenFile],
      ['rm', '-rf', cloudFolder],
    ],
  };
}

/**
 * The same as user data. JSON is YAML, so what is written here is a document that was encoded, not a text with holes. The
 * commands are lists of arguments, which cloud-init runs without a shell, and the token is in a file rather than in a
 * list of processes: the agent enrols with it when it starts.
 */
export function cloudInit(door: NodeDoor, { token, purpose }: Invitation, packages?: AgentPackages): string {
  const document = packages && purpose === 'enrol' ? cloudInstall(door, token, packages) : cloudEnrol(door, token);
  return `#cloud-config\n${JSON.stringify(document, undefined, '  ')}\n`;
}

function cloudEnrol(door: NodeDoor, token: string) {
  const content = settingsFile({
    GPUAAS_API_URL: door.url,
    ...(door.fingerprint !== undefined && { GPUAAS_CA_FINGERPRINT: door.fingerprint }),
    GPUAAS_ENROLMENT_TOKEN: token,
  });
  return {
    write_files: [{ path: settingsPath, owner: 'root:root', permissions: secretFileMode, content }],
    runcmd: [
      ['node-agent', 'prepare'],
      ['systemctl', 'enable', '--now', unit],
    ],
  };
}
