import { constants } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import type { Clock } from '../../../clock.ts';
import { HostFailure } from '../../port.ts';
import { killAllOf } from '../argv.ts';
import { type Commands, complaintOf, makeCommands } from '../commands.ts';
import { firstUserId } from './tenant-ids.ts';

/**
 * What runs on the host, and how a tenant's processes are ended.
 *
 * A list of processes cannot prove that nothing runs: /proc is read name by name, and a chain of processes of which each
 * forks and exits has another pid by the time its status is read. So nobody asks first. `killAll` has the kernel kill
 * everything under a user id in one step: `kill(-1)` walks the table of processes under the lock that a fork needs, and a
 * process with a pending SIGKILL cannot fork. Afterwards only a daemon of root's (sshd, cron, at) can start something new
 * in the tenant's name, which a list does find and the next round ends.
 */
export interface Processes {
  /** What runs as this user, or in the user's sessions. */
  of(uid: number): Promise<number[]>;
  /** Everything that runs, with its user id. */
  all(): Promise<{ readonly pid: number; readonly uid: number }[]>;
  signal(pid: number, signal: NodeJS.Signals): void;
  /** Kills everything that runs as this user in one step. */
  killAll(uid: number): Promise<void>;
  /** Kills everything in the control group of the user's sessions in one step, also what took on another id. */
  killSessions(uid: number): Promise<void>;
}

/** A killed process takes a moment to go; one that is there after all of these does not go at all. */
const rounds = 200;
const betweenLooksMs = 50;
/** Looks in a row, each right after a kill, that must find nothing. */
const emptyLooks = 2;

export function readProcesses(
  parts: { readonly proc?: string; readonly groups?: string; readonly commands?: Commands } = {},
): Processes {
  const { proc = '/proc', groups = '/sys/fs/cgroup', commands = makeCommands() } = parts;
  const pids = async () => (await readdir(proc)).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  const read = (pid: string, file: string) => readFile(`${proc}/${pid}/${file}`, 'utf8').catch(emptyIfGone);
  return {
    async of(uid) {
      return forEachFew(await pids(), async (name) => {
        const text = await read(name, 'status');
        // A process that took on another id is still in the sessions of the user who started it.
        const isTheirs = isAliveAs(text, uid) || (isInSessions(await read(name, 'cgroup'), uid) && isAlive(text));
        return isTheirs ? [Number(name)] : [];
      });
    },
    async all() {
      return forEachFew(await pids(), async (name) => {
        const text = await read(name, 'status');
        return isAlive(text) ? idsOf(text).map((uid) => ({ pid: Number(name), uid })) : [];
      });
    },
    signal(pid, signal) {
      try {
        process.kill(pid, signal);
      } catch {
        // It was faster.
      }
    },
    async killAll(uid) {
      expectUser(uid);
      const result = await commands.run(killAllOf(uid));
      if (result.status === 0) return;
      throw new HostFailure('user_remains', `Processes of user ${uid} could not be killed: ${complaintOf(result)}.`);
    },
    async killSessions(uid) {
      expectUser(uid);
      // The second is where systemd mounts version 2 beside version 1. Where neither is, `killAll` does the work.
      for (const tree of [groups, `${groups}/unified`]) {
        const path = `${tree}/user.slice/user-${uid}.slice/cgroup.kill`;
        await writeFile(path, '1', { flag: constants.O_WRONLY }).catch((error: NodeJS.ErrnoException) => {
          // ENODEV: the last session ended, and its group with it, since the file was opened.
          if (error.code === 'ENOENT' || error.code === 'ENODEV') return;
          throw new HostFailure('user_remains', `${path} cannot be written: ${error.code}. The unit must allow it.`);
        });
      }
    },
  };
}

/** A few at a time: a tenant may have more processes than the agent may have open files. */
async function forEachFew<T>(names: readonly string[], look: (name: string) => Promise<T[]>): Promise<T[]> {
  const found: T[] = [];
  for (let from = 0; from < names.length; from += atATime) {
    for (const some of await Promise.all(names.slice(from, from + atATime).map(look))) found.push(...some);
  }
  return found;
}
const atATime = 64;

function emptyIfGone(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT' || error.code === 'ESRCH') return '';
  throw error;
}
function expectUser(uid: number): void {
  if (!Number.isInteger(uid) || uid < firstUserId) throw new Error(`User ${uid} is the system’s own.`);
}

/**
 * Any of its four ids counts. The owner of the folder in /proc would not do: it is root's for a process that does not
 * want to be dumped. A zombie is nobody any more.
 */
export function isAliveAs(status: string, uid: number): boolean {
  return idsOf(status).includes(uid) && isAlive(status);
}
const idsOf = (status: string): number[] => [
  ...new Set((/^Uid:(.+)$/m.exec(status)?.[1]?.trim().split(/\s+/) ?? []).map(Number)),
];
const isAlive = (status: string): boolean => status !== '' && !/^State:\s+[ZX]/m.test(status);
/** The slice that systemd gives to all sessions of a user. Both versions of control groups name it. */
const isInSessions = (cgroup: string, uid: number): boolean =>
  cgroup.split('\n').some((line) => line.split('/').includes(`user-${uid}.slice`));

/** Ends everything that runs as this user: politely what can be seen, then all of it. A failure unless it is gone. */
export async function endProcesses(
  parts: { readonly processes: Processes; readonly clock: Clock },
  uid: number,
  graceMs: number,
): Promise<void> {
  const { processes, clock } = parts;
  expectUser(uid);
  const polite = await processes.of(uid);
  // Shells ignore SIGTERM and end on SIGHUP; what was stopped has to go on to hear either.
  for (const pid of polite)
    for (const signal of ['SIGHUP', 'SIGTERM', 'SIGCONT'] as const) processes.signal(pid, signal);
  for (let waited = 0, left = polite.length; left > 0 && waited < graceMs; waited += betweenLooksMs) {
    await clock.sleep(betweenLooksMs);
    left = (await processes.of(uid)).length;
  }
  for (let round = 0, quiet = 0; quiet < emptyLooks; round += 1) {
    const trouble = await killOnce(processes, uid);
    quiet = trouble === undefined ? quiet + 1 : 0;
    if (trouble && round >= rounds) throw trouble;
    if (trouble) await clock.sleep(betweenLooksMs);
  }
}

/** Nothing when everything was killed and nothing is seen any more. */
async function killOnce(processes: Processes, uid: number): Promise<HostFailure | undefined> {
  try {
    await processes.killSessions(uid);
    await processes.killAll(uid);
  } catch (error) {
    // Also that a process could not be started, which a tenant can bring about for a while.
    if (error instanceof HostFailure) return error;
    throw error;
  }
  const left = await processes.of(uid);
  for (const pid of left) processes.signal(pid, 'SIGKILL');
  if (left.length === 0) return undefined;
  return new HostFailure('user_remains', `${left.length} processes of user ${uid} do not end.`);
}
