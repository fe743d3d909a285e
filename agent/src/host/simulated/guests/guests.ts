import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { access, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { HostFailure, type Shell, type ShellOrder } from '../../port.ts';
import { openPty } from '../../pty.ts';
import { type Guest, marker, type UidRange } from './guest.ts';
import { argvFor, dropped, prepareHome, withOwnName } from './homes.ts';
import { processesOf } from './processes.ts';

/**
 * The only real part of a simulated machine: a folder with a home in it, and shells on real terminals. As root each
 * allocation has a user id of its own, from an unused range; otherwise shells run as the user of the agent, which
 * isolates nothing and is meant for one person's own computer.
 */
export interface Guests {
  /** A shell on a terminal, or one command instead of it. */
  open(order: ShellOrder, guest: Guest, command?: string): Promise<Shell>;
  /** A command without a terminal. */
  run(order: ShellOrder, guest: Guest, command: string): Promise<GuestProcess>;
  /** The program that serves files to sftp and scp; undefined where this computer has none. */
  serveFiles(order: ShellOrder, guest: Guest): Promise<GuestProcess | undefined>;
  /** Ends everything that runs in the name of the allocation; `forGood` takes its folder away too. */
  end(allocationId: string, forGood: boolean): Promise<void>;
  close(): Promise<void>;
}

export interface GuestProcess {
  readonly child: ChildProcessWithoutNullStreams;
  readonly exited: Promise<number | undefined>;
  readonly kill: () => void;
}

/** Where distributions put it. */
const sftpServers = ['/usr/lib/openssh/sftp-server', '/usr/libexec/openssh/sftp-server', '/usr/lib/ssh/sftp-server'];

/** A killed process takes a moment to go; one that is still there after all of these does not go at all. */
const sweeps = 100;
const betweenSweepsMs = 50;

export function makeGuests(folder: string, uids: UidRange): Guests {
  const shells = new Map<string, Set<Shell>>();

  async function end(allocationId: string, forGood: boolean): Promise<void> {
    const known = [...(shells.get(allocationId) ?? [])];
    for (const shell of known) shell.kill();
    const existed = await stat(join(folder, allocationId)).catch(() => undefined);
    if (!existed) return;
    for (let sweep = 0; ; sweep += 1) {
      const left = await processesOf(folder, allocationId);
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

  const prepare = async (order: ShellOrder, guest: Guest) => {
    const { uid, home, bin } = await prepareHome({ folder, uids }, order, guest);
    const env = {
      HOME: home,
      USER: order.username,
      LOGNAME: order.username,
      SHELL: '/bin/bash',
      LANG: 'C.UTF-8',
      PATH: `${bin}:/usr/local/bin:/usr/bin:/bin`,
      [marker]: order.allocationId,
    };
    return { uid, bin, cwd: home, env };
  };
  const run = async (
    order: ShellOrder,
    guest: Guest,
    command: readonly string[],
    wrap: typeof withOwnName = (_, argv) => argv,
  ): Promise<GuestProcess> => {
    const { uid, cwd, env } = await prepare(order, guest);
    const { file, args } = wrap(
      uid === undefined ? undefined : join(folder, order.allocationId),
      dropped(uid, command),
    );
    return startProcess(spawn(file, args, { cwd, env, detached: true, stdio: 'pipe' }));
  };
  return {
    run: (order, guest, command) => run(order, guest, ['/bin/bash', '--noprofile', '--norc', '-c', command]),
    async serveFiles(order, guest) {
      for (const path of sftpServers) {
        const isThere = await access(path).then(
          () => true,
          () => false,
        );
        if (isThere) return run(order, guest, [path], withOwnName);
      }
      return undefined;
    },
    async open(order, guest, command) {
      const { uid, bin, cwd, env } = await prepare(order, guest);
      const shell = await openPty({
        ...argvFor(uid, bin, command),
        ...{ cwd, env, columns: order.columns, rows: order.rows },
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

/** It leads a group of its own, so that what it started ends with it. */
function startProcess(child: ChildProcessWithoutNullStreams): GuestProcess {
  const exited = new Promise<number | undefined>((resolve) => {
    child.once('error', () => resolve(undefined));
    child.once('close', (code) => resolve(code ?? undefined));
  });
  const kill = () => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    try {
      process.kill(-child.pid, 'SIGHUP');
    } catch {
      // It was faster.
    }
  };
  return { child, exited, kill };
}
