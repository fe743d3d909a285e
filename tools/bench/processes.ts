import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';

/**
 * What processes cost, read from /proc. On two cores CPU time per operation is the capacity, and it suffers far less
 * from neighbours than the time on the wall.
 */

const ticksPerSecond = 100;

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
  readonly ticks: number;
  /** CPU of children that have ended and were waited for. */
  readonly ticksOfTheGone: number;
}

/** Every process there is. Those that end while we look are left out. */
function everyProcess(): Process[] {
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name);
    if (!Number.isInteger(pid)) return [];
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      // The name stands in parentheses and may hold anything, parentheses too.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const [parent, utime, stime, cutime, cstime] = [1, 11, 12, 13, 14].map((index) => Number(fields[index])) as [
        number,
        number,
        number,
        number,
        number,
      ];
      const command = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
      return [{ pid, parent, command, ticks: utime + stime, ticksOfTheGone: cutime + cstime }];
    } catch {
      return [];
    }
  });
}

/** The given processes and all that descend from them. */
function families(roots: readonly number[], all = everyProcess()): Process[] {
  const wanted = new Set(roots);
  for (let grown = true; grown; ) {
    grown = false;
    for (const { pid, parent } of all) {
      if (!wanted.has(parent) || wanted.has(pid)) continue;
      wanted.add(pid);
      grown = true;
    }
  }
  return all.filter(({ pid }) => wanted.has(pid));
}

/** CPU seconds spent so far by these processes, their children, and the children of theirs that are gone. */
export const cpuSeconds = (roots: readonly number[]): number =>
  families(roots).reduce((sum, { ticks, ticksOfTheGone }) => sum + ticks + ticksOfTheGone, 0) / ticksPerSecond;

export interface Memory {
  readonly pid: number;
  readonly program: string;
  readonly rssMb: number;
  /** Pages that nobody else has. */
  readonly privateMb: number;
}

/** The memory of these processes and their families. */
export function memoryOf(roots: readonly number[]): Memory[] {
  return families(roots).flatMap(({ pid }) => {
    try {
      const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
      const megabytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(rollup)?.[1] ?? 0) / 1_024;
      const privateMb = megabytes('Private_Clean') + megabytes('Private_Dirty');
      return [{ pid, program: basename(readlinkSync(`/proc/${pid}/exe`)), rssMb: megabytes('Rss'), privateMb }];
    } catch {
      return [];
    }
  });
}

export interface Footprint {
  readonly program: string;
  readonly processes: number;
  /** What processes of one program share is counted once: their private pages, and the largest shared part. */
  readonly heldMb: number;
  readonly rssMb: number;
}

/**
 * PSS would divide shared pages among all who map them, and so get smaller with every other Node process on the
 * machine; RSS counts the buffers of Postgres once for each of its processes. This counts them once.
 */
export function footprints(memory: readonly Memory[]): Footprint[] {
  return [...new Set(memory.map(({ program }) => program))].map((program) => {
    const group = memory.filter((each) => each.program === program);
    const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
    const shared = Math.max(...group.map(({ rssMb, privateMb }) => rssMb - privateMb));
    return {
      program,
      processes: group.length,
      heldMb: sum(group.map(({ privateMb }) => privateMb)) + shared,
      rssMb: sum(group.map(({ rssMb }) => rssMb)),
    };
  });
}

export const loadAverage = (): number => Number(readFileSync('/proc/loadavg', 'utf8').split(' ')[0]);

/** The newest process of this name that we started. */
export function childNamed(command: string): number {
  const found = everyProcess().filter((each) => each.parent === process.pid && each.command === command);
  const newest = found.at(-1);
  if (!newest) throw new Error(`${command} does not run here`);
  return newest.pid;
}
