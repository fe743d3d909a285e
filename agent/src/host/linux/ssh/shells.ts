import { HostFailure, type Shell, type ShellOrder } from '../../port.ts';
import { openPty } from '../../pty.ts';
import type { Account } from '../accounts.ts';
import { loginShell, shellAs } from '../argv.ts';
import { systemPath } from '../commands.ts';

/** Terminals of tenants: with the ids of the login and none of the agent's own surroundings. */
export interface Shells {
  open(order: ShellOrder, account: Account): Promise<Shell>;
  /** Ends those of one allocation; what they started is ended with everything else of that user. */
  end(allocationId: string): Promise<void>;
  close(): Promise<void>;
}

/** More than any person has windows for; each is a process and a buffer of the agent. */
const mostPerAllocation = 32;

export function makeShells({ isRoot }: { readonly isRoot: boolean }): Shells {
  const open = new Map<string, Set<Shell>>();
  const end = async (allocationId: string) => {
    const known = [...(open.get(allocationId) ?? [])];
    for (const shell of known) shell.kill();
    await Promise.all(known.map((shell) => shell.exited));
  };
  return {
    async open(order, account) {
      // Without root a shell would run as the agent, with the agent's files before it.
      if (!isRoot) throw new HostFailure('not_supported', 'Terminals need an agent that runs as root.');
      const known = open.get(order.allocationId) ?? new Set();
      if (known.size >= mostPerAllocation) {
        throw new HostFailure('host_not_ready', `${known.size} terminals are open already; close one first.`);
      }
      const [file, ...args] = shellAs({ username: account.name, uid: account.uid, gid: account.gid });
      const shell = await openPty({
        file,
        args,
        cwd: account.home,
        env: {
          HOME: account.home,
          USER: account.name,
          LOGNAME: account.name,
          SHELL: loginShell,
          LANG: 'C.UTF-8',
          PATH: systemPath,
        },
        columns: order.columns,
        rows: order.rows,
      });
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
