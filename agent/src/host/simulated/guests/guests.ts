import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { HostFailure, type Shell, type ShellOrder } from '../../port.ts';
import { openPty } from '../../pty.ts';
import { type Guest, marker, type UidRange } from './guest.ts';
import { argvFor, prepareHome } from './homes.ts';
import { processesOf } from './processes.ts';

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

  return {
    async open(order, guest) {
      const { uid, home, bin } = await prepareHome({ folder, uids }, order, guest);
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
