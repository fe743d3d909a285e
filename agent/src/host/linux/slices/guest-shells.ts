import { HostFailure, type Shell, type ShellOrder } from '../../port.ts';
import { openPty } from '../../pty.ts';
import { type Argv, systemPath } from '../commands.ts';

/** Terminals in machines: each is the client of SSH on a terminal of this host. */
export interface GuestShells {
  open(order: ShellOrder, client: Argv): Promise<Shell>;
  /** Ends those of one allocation. What they started inside ends with the machine. */
  end(allocationId: string): Promise<void>;
  close(): Promise<void>;
}

/** More than any person has windows for; each is a process and a buffer of the agent. */
const mostPerAllocation = 32;

export function makeGuestShells(): GuestShells {
  const open = new Map<string, Set<Shell>>();
  const end = async (allocationId: string) => {
    const known = [...(open.get(allocationId) ?? [])];
    for (const shell of known) shell.kill();
    await Promise.all(known.map(({ exited }) => exited));
  };
  return {
    async open(order, [file, ...args]) {
      const known = open.get(order.allocationId) ?? new Set();
      if (known.size >= mostPerAllocation) {
        throw new HostFailure('host_not_ready', `${known.size} terminals are open already; close one first.`);
      }
      const env = { PATH: systemPath, LANG: 'C.UTF-8', HOME: '/' };
      const shell = await openPty({ file, args, cwd: '/', env, columns: order.columns, rows: order.rows });
      open.set(order.allocationId, known.add(shell));
      const forget = () => {
        known.delete(shell);
        if (known.size === 0 && open.get(order.allocationId) === known) open.delete(order.allocationId);
      };
      shell.exited.then(forget, forget);
      return shell;
    },
    end,
    async close() {
      await Promise.all([...open.keys()].map(end));
    },
  };
}
