import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Argv, type Commands, complaintOf, statusLate } from '../commands.ts';

/** A machine from inside: programs that run there as its login, over SSH with a key that only this host has. */
export interface Guest {
  readonly address: string;
  readonly username: string;
  readonly keyPath: string;
  /** A file with the one host key that the machine may show. */
  readonly knownHosts: string;
}

export async function openGuest(order: {
  readonly folder: string;
  readonly address: string;
  readonly username: string;
  readonly keyPath: string;
  readonly hostKey: string;
}): Promise<Guest> {
  const knownHosts = join(order.folder, 'known_hosts');
  await writeFile(knownHosts, `${order.address} ${order.hostKey}\n`, { mode: 0o600 });
  return { address: order.address, username: order.username, keyPath: order.keyPath, knownHosts };
}

const connectSeconds = 10;
/**
 * The client of this host with all its options: no setting of root's counts, no question is asked, no other key is tried. What a
 * tenant types goes through: the client itself, which is root's, takes no orders (`~C`, `~^Z`) and opens no way back to this host.
 */
export const sshTo = (guest: Guest, ...more: string[]): Argv => [
  'ssh',
  '-F',
  '/dev/null',
  '-i',
  guest.keyPath,
  ...[
    'BatchMode=yes',
    'IdentitiesOnly=yes',
    'StrictHostKeyChecking=yes',
    `UserKnownHostsFile=${guest.knownHosts}`,
    'GlobalKnownHostsFile=/dev/null',
    `ConnectTimeout=${connectSeconds}`,
    'ServerAliveInterval=15',
    'HostKeyAlgorithms=ssh-ed25519',
    'EscapeChar=none',
    // Clients before OpenSSH 9.2 do not know the second.
    'IgnoreUnknown=EnableEscapeCommandline',
    'EnableEscapeCommandline=no',
    'PermitLocalCommand=no',
    'ForwardAgent=no',
    'ForwardX11=no',
    'ClearAllForwardings=yes',
    'ControlMaster=no',
    'ControlPath=none',
  ].flatMap((setting) => ['-o', setting]),
  ...more,
  `${guest.username}@${guest.address}`,
];

/** A word for the shell at the other end, which sees one line. */
const quote = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;

/** The programs of the machine, for code that asks programs of a host. */
export const commandsIn = (commands: Commands, guest: Guest): Commands => ({
  run: (argv, options) => commands.run([...sshTo(guest), '--', argv.map(quote).join(' ')], options),
});

/** Why nobody can log in; undefined when the agent can, and the machine has shown the right key. */
export async function whyNoLogin(commands: Commands, guest: Guest): Promise<string | undefined> {
  const result = await commands.run([...sshTo(guest), '--', 'true'], { limitMs: 30_000 });
  if (result.status === 0) return undefined;
  return result.status === statusLate ? 'it does not answer in time' : complaintOf(result);
}

/**
 * Targets that the machine can connect to and must not. The attempt is made inside, where the tenant will sit. A connection that is
 * refused counts as reached: the wall has let it through.
 */
export async function reachedFrom(
  commands: Commands,
  guest: Guest,
  targets: readonly { readonly address: string; readonly port: number }[],
): Promise<string[] | undefined> {
  const program = `for t in "$@"; do a=\${t%:*}; p=\${t##*:}; said=$(timeout 3 bash -c "exec 3<>/dev/tcp/$a/$p" 2>&1); s=$?; if [ $s -eq 0 ]; then echo "$t"; elif case "$said" in *refused*) true;; *) false;; esac; then echo "$t"; fi; done; echo looked`;
  const words = targets.map(({ address, port }) => `${address}:${port}`);
  const inside = commandsIn(commands, guest);
  const result = await inside.run(['bash', '-c', program, 'probe', ...words], {
    limitMs: 60_000 + targets.length * 5_000,
  });
  const lines = result.stdout.trim().split('\n');
  return result.status === 0 && lines.at(-1) === 'looked' ? lines.slice(0, -1) : undefined;
}
