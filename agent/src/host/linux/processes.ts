import { readdir, readFile } from 'node:fs/promises';
import type { Clock } from '../../clock.ts';
import { HostFailure } from '../port.ts';

/** What runs on the host, by whose name it runs. */
export interface Processes {
  of(uid: number): Promise<number[]>;
  signal(pid: number, signal: NodeJS.Signals): void;
}

/** Ids below this are the system's own; no task can name one, and nothing here would obey it. */
const firstTenantUid = 1_000;
/** A killed process takes a moment to go; one that is there after all of these does not go at all. */
const sweeps = 200;
const betweenSweepsMs = 50;

export function readProcesses(proc = '/proc'): Processes {
  return {
    async of(uid) {
      const names = (await readdir(proc)).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
      const belongs = await Promise.all(
        names.map(async (name) => {
          const text = await readFile(`${proc}/${name}/status`, 'utf8').catch(() => '');
          return isAliveAs(text, uid);
        }),
      );
      return names.filter((_, index) => belongs[index]).map(Number);
    },
    signal(pid, signal) {
      try {
        process.kill(pid, signal);
      } catch {
        // It was faster.
      }
    },
  };
}

/**
 * Any of its four ids counts. The owner of the folder in /proc would not do: it is root's for a process that does not
 * want to be dumped. A zombie is nobody any more.
 */
export function isAliveAs(status: string, uid: number): boolean {
  const ids = /^Uid:\s+(.+)$/m.exec(status)?.[1]?.split(/\s+/) ?? [];
  return ids.includes(String(uid)) && !/^State:\s+[ZX]/m.test(status);
}

/** Ends everything that runs as this user: politely, then not. Proven by looking again, or it is a failure. */
export async function endProcesses(
  parts: { readonly processes: Processes; readonly clock: Clock },
  uid: number,
  graceMs: number,
): Promise<void> {
  const { processes, clock } = parts;
  if (uid < firstTenantUid) throw new Error(`User ${uid} is the system’s own.`);
  const sweep = async (...signals: NodeJS.Signals[]) => {
    const left = await processes.of(uid);
    for (const pid of left) for (const signal of signals) processes.signal(pid, signal);
    return left.length;
  };
  // Shells ignore SIGTERM and heed SIGHUP; what was stopped has to go on to hear either.
  let left = await sweep('SIGHUP', 'SIGTERM', 'SIGCONT');
  for (let waited = 0; left > 0 && waited < graceMs; waited += betweenSweepsMs) {
    await clock.sleep(betweenSweepsMs);
    left = (await processes.of(uid)).length;
  }
  for (let round = 0; left > 0; round += 1) {
    if (round === sweeps) throw new HostFailure('user_remains', `${left} processes of user ${uid} do not end.`);
    if ((await sweep('SIGKILL')) > 0) await clock.sleep(betweenSweepsMs);
    left = (await processes.of(uid)).length;
  }
}
