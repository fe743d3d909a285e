import { createHash } from 'node:crypto';
import { chmod, chown, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HostFailure, type ShellOrder } from '../../port.ts';
import { type Guest, isRoot, type UidRange } from './guest.ts';
import { runningUids } from './processes.ts';

/** Where the homes of guests are, and which user ids they may have. */
export interface Place {
  readonly folder: string;
  readonly uids: UidRange;
}

/**
 * The id that owns the allocation's home already, or one that owns none and that nothing runs with: another simulated host
 * of this computer may have given it away, and the end of a guest is the end of everything with its id. The search begins
 * at a place of the allocation's own, so that hosts that know nothing of each other seldom meet.
 */
async function uidFor({ folder, uids }: Place, allocationId: string): Promise<number> {
  const taken = new Map<number, string>();
  for (const name of await readdir(folder)) {
    const found = await stat(join(folder, name, 'home')).catch(() => undefined);
    if (found) taken.set(found.uid, name);
  }
  const own = [...taken].find(([, name]) => name === allocationId)?.[0];
  if (own !== undefined && own !== 0) return own;
  const running = await runningUids();
  const start = createHash('sha256').update(join(folder, allocationId)).digest().readUInt32BE(0);
  for (let step = 0; step < uids.count; step += 1) {
    const uid = uids.first + ((start + step) % uids.count);
    if (!taken.has(uid) && !running.has(uid)) return uid;
  }
  throw new HostFailure('host_not_ready', 'Every user id of this host is in use.');
}

/** Makes the home and the programs of a guest, as far as they are not there. */
export async function prepareHome(place: Place, order: ShellOrder, guest: Guest) {
  const { folder } = place;
  await mkdir(folder, { recursive: true, mode: 0o711 });
  const own = join(folder, order.allocationId);
  const uid = isRoot() ? await uidFor(place, order.allocationId) : undefined;
  const home = join(own, 'home');
  const bin = join(own, 'bin');
  await mkdir(home, { recursive: true, mode: 0o700 });
  await mkdir(bin, { recursive: true, mode: 0o755 });
  const host = guest.hostname.replaceAll(/[^\w.-]/g, '-');
  const programs = {
    ...guest.programs,
    whoami: `#!/bin/sh\necho ${order.username}\n`,
    hostname: `#!/bin/sh\necho ${host}\n`,
  };
  for (const [name, text] of Object.entries(programs)) {
    await writeFile(join(bin, name), text);
    await chmod(join(bin, name), 0o755);
  }
  const prompt = `PS1='${order.username}@${host}:\\w\\$ '`;
  await writeFile(join(bin, '.shellrc'), `echo '${guest.banner}'\n${prompt}\n`);
  // Outer folders are passed through, never listed; the home itself is the user's alone.
  for (const passage of [folder, own]) await chmod(passage, 0o711);
  if (uid !== undefined) {
    await chown(home, uid, uid);
    await writeFile(join(own, 'passwd'), `${order.username}:x:${uid}:${uid}::${home}:/bin/bash\n`);
  }
  return { uid, home, bin };
}

/** A program with the id of the allocation and no right beyond it. */
export function dropped(uid: number | undefined, command: readonly string[]): { file: string; args: string[] } {
  const [file = '', ...args] = command;
  if (uid === undefined) return { file, args };
  const drop = ['--reuid', uid, '--regid', uid, '--clear-groups', '--no-new-privs'].map(String);
  return { file: 'setpriv', args: [...drop, '--inh-caps=-all', '--bounding-set=-all', '--', ...command] };
}

export const argvFor = (uid: number | undefined, bin: string, command?: string): { file: string; args: string[] } =>
  dropped(uid, [
    ...['/bin/bash', '--noprofile', '--rcfile', join(bin, '.shellrc')],
    ...(command === undefined ? ['-i'] : ['-c', command]),
  ]);

/**
 * Some programs refuse a user id without a name. In front of them this computer has a list of users of its own, with the name of
 * the login, which nobody else sees.
 */
export function withOwnName(own: string | undefined, argv: { file: string; args: string[] }): typeof argv {
  if (own === undefined) return argv;
  const cover = 'mount --bind "$0" /etc/passwd && exec "$@"';
  const inside = ['/bin/sh', '-c', cover, join(own, 'passwd'), argv.file, ...argv.args];
  return { file: 'unshare', args: ['--mount', '--propagation', 'private', '--', ...inside] };
}
