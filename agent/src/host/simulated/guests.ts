import { chmod, chown, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { HostFailure, type Shell, type ShellOrder } from '../port.ts';
import { openPty } from '../pty.ts';

/**
 * The only real part of a simulated machine: a folder with a home in it, and shells on real terminals. As root each
 * allocation has a user id of its own, from an unused range; otherwise shells run as the user of the agent, which
 * isolates nothing and is meant for one person's own computer.
 */
export interface Guests {
  open(order: ShellOrder, guest: Guest): Promise<Shell>;
  /** Ends everything that runs in the name of the allocation; `forGood` takes its folder away too. */
  end(allocationId: string, forGood: boolean): Promise<void>;
  close(): Promise<void>;
}

export interface Guest {
  readonly hostname: string;
  /** Programs that are there beside those of this computer, by name. */
  readonly programs: Readonly<Record<string, string>>;
}

export interface UidRange {
  readonly first: number;
  readonly count: number;
}
/** Where systemd puts users that live for a moment: no distribution gives these ids to people. */
export const unusedUids: UidRange = { first: 61_184, count: 4_336 };

const marker = 'GPUAAS_ALLOCATION';
/** A killed process takes a moment to go; one that is still there after all of these does not go at all. */
const sweeps = 100;
const betweenSweepsMs = 50;

export function makeGuests(folder: string, uids: UidRange): Guests {
  const isRoot = process.getuid?.() === 0;
  const shells = new Map<string, Set<Shell>>();

  /** The id that owns the allocation's home already, or the first that owns none. */
  async function uidFor(allocationId: string): Promise<number> {
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

  async function prepare(order: ShellOrder, guest: Guest) {
    await mkdir(folder, { recursive: true, mode: 0o711 });
    const own = join(folder, order.allocationId);
    const uid = isRoot ? await uidFor(order.allocationId) : undefined;
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

  const argvFor = (uid: number | undefined, bin: string): { file: string; args: string[] } => {
    const bash = ['/bin/bash', '--noprofile', '--rcfile', join(bin, '.shellrc'), '-i'];
    if (uid === undefined) return { file: '/bin/bash', args: bash.slice(1) };
    const drop = ['--reuid', uid, '--regid', uid, '--clear-groups', '--no-new-privs'].map(String);
    return { file: 'setpriv', args: [...drop, '--inh-caps=-all', '--bounding-set=-all', '--', ...bash] };
  };

  async function processesOf(allocationId: string): Promise<number[]> {
    const home = await stat(join(folder, allocationId, 'home')).catch(() => undefined);
    const uid = isRoot && home && home.uid !== 0 ? home.uid : undefined;
    const found: number[] = [];
    for (const name of await readdir('/proc').catch(() => [])) {
      const pid = Number(name);
      if (!Number.isInteger(pid) || pid === process.pid) continue;
      const belongs =
        uid !== undefined
          ? await stat(`/proc/${pid}`).then(
              (entry) => entry.uid === uid,
              () => false,
            )
          : await readFile(`/proc/${pid}/environ`, 'utf8').then(
              (text) => text.split('\0').includes(`${marker}=${allocationId}`),
              () => false,
            );
      if (belongs && !(await isZombie(pid))) found.push(pid);
    }
    return found;
  }

  async function end(allocationId: string, forGood: boolean): Promise<void> {
    const known = [...(shells.get(allocationId) ?? [])];
    for (const shell of known) shell.kill();
    const existed = await stat(join(folder, allocationId)).catch(() => undefined);
    if (!existed) return;
    for (let sweep = 0; ; sweep += 1) {
      const left = await processesOf(allocationId);
      if (left.length === 0) break;
      if (sweep === sweeps) throw new HostFailure('user_remains', `${left.length} processes do not end.`);
      for (const pid of left) {
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          // It was faster.
        }
      }
      await sleep(betweenSweepsMs);
    }
    await Promise.all(known.map((shell) => shell.exited));
    if (forGood) await rm(join(folder, allocationId), { recursive: true, force: true });
  }

  return {
    async open(order, guest) {
      const { uid, home, bin } = await prepare(order, guest);
      const shell = await openPty({
        ...argvFor(uid, bin),
        cwd: home,
        env: {
          HOME: home,
          USER: order.username,
          LOGNAME: order.username,
          SHELL: '/bin/bash',
          LANG: 'C.UTF-8',
          PATH: `${bin}:/usr/local/bin:/usr/bin:/bin`,
          [marker]: order.allocationId,
        },
        columns: order.columns,
        rows: order.rows,
      });
      const open = shells.get(order.allocationId) ?? new Set();
      shells.set(order.allocationId, open.add(shell));
      const forget = () => {
        open.delete(shell);
        if (open.size === 0) shells.delete(order.allocationId);
      };
      shell.exited.then(forget, forget);
      return shell;
    },
    end,
    async close() {
      for (const allocationId of [...shells.keys()]) await end(allocationId, false);
    },
  };
}

async function isZombie(pid: number): Promise<boolean> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The name in brackets may hold anything; the state comes after the last one.
  return text === '' || text.slice(text.lastIndexOf(')') + 2).startsWith('Z');
}
