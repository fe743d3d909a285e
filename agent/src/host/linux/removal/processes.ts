import { readdir, readFile, writeFile } from 'node:fs/promises';
import type { Clock } from '../../clock.ts';
import { HostFailure } from '../port.ts';

/** What runs on the host, by whose name it runs. */
export interface Processes {
  of(uid: number): Promise<number[]>;
  signal(pid: number, signal: NodeJS.Signals): void;
  /** Kills everything in the control group of the user's sessions in one step, where the kernel can. */
  killSessions?(uid: number): Promise<void>;
}

/** Ids below this are the system's own; no task can name one, and nothing here would obey it. */
const firstTenantUid = 1_000;
/** A killed process takes a moment to go; one that is there after all of these does not go at all. */
const sweeps = 200;
const betweenSweepsMs = 50;

export function readProcesses(proc = '/proc', groups = '/sys/fs/cgroup'): Processes {
  return {
    async of(uid) {
      const names = (await readdir(proc)).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
      const belongs = await Promise.all(
        names.map(async (name) => {
          const text = await readFile(`${proc}/${name}/status`, 'utf8').catch(() => '');
          if (isAliveAs(text, uid)) return true;
          // A process that took on another id is still in the sessions of the user who started it.
          const group = await readFile(`${proc}/${name}/cgroup`, 'utf8').catch(() => '');
          return isInSessions(group, uid) && isAlive(text);
        }),
      );
      return names.filter((_, index) => belongs[index]).map(Number);
    },
    async killSessions(uid) {
      // There on cgroup version 2 only. Elsewhere what is found is killed one by one.
      await writeFile(`${groups}/user.slice/user-${uid}.slice/cgroup.kill`, '1').catch(() => undefined);
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
  return ids.includes(String(uid)) && isAlive(status);
}
const isAlive = (status: string): boolean => status !== '' && !/^State:\s+[ZX]/m.test(status);
/** The slice that systemd gives to all sessions of a user. Both versions of control groups name it. */
const isInSessions = (cgroup: string, uid: number): boolean =>
  cgroup.split('\n').some((line) => line.split('/').includes(`user-${uid}.slice`));

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
    await processes.killSessions?.(uid);
    if ((await sweep('SIGKILL')) > 0) await clock.sleep(betweenSweepsMs);
    left = (await processes.of(uid)).length;
  }
}
