import { chmod, chown, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HostFailure, type ShellOrder } from '../../port.ts';
import { type Guest, isRoot, type UidRange } from './guest.ts';

/** Where the homes of guests are, and which user ids they may have. */
export interface Place {
  readonly folder: string;
  readonly uids: UidRange;
}

/** The id that owns the allocation's home already, or the first that owns none. */
async function uidFor({ folder, uids }: Place, allocationId: string): Promise<number> {
  const taken = new Map<number, string>();
  for (const name of await readdir(folder)) {
    const found = await stat(join(folder, name, 'home')).catch(() => undefined);
    if (found) taken.set(found.uid, name);
  }
  const own = [...taken].find(([, name]) => name === allocationId)?.[0];
  if (own !== undefined && own !== 0) return own;
  for (let uid = uids.first; uid < uids.first + uids.count; uid += 1) if (!taken.has(uid)) return uid;
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
  await writeFile(join(bin, '.shellrc'), `PS1='${order.username}@${host}:\\w\\$ '\n`);
  // Outer folders are passed through, never listed; the home itself is the user's alone.
  for (const passage of [folder, own]) await chmod(passage, 0o711);
  if (uid !== undefined) await chown(home, uid, uid);
  return { uid, home, bin };
}

export const argvFor = (uid: number | undefined, bin: string): { file: string; args: string[] } => {
  const bash = ['/bin/bash', '--noprofile', '--rcfile', join(bin, '.shellrc'), '-i'];
  if (uid === undefined) return { file: '/bin/bash', args: bash.slice(1) };
  const drop = ['--reuid', uid, '--regid', uid, '--clear-groups', '--no-new-privs'].map(String);
  return { file: 'setpriv', args: [...drop, '--inh-caps=-all', '--bounding-set=-all', '--', ...bash] };
};
