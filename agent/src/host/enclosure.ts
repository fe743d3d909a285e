import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { HostFailure } from './port.ts';

/**
 * What one terminal has started, so that all of it can be ended and nothing else. The kernel keeps count where the agent
 * may make a control group: a process cannot leave it, whatever it forks, ignores or cleans from its environment. Elsewhere
 * the agent looks for its mark in environments, for the session of the shell, and for the children of both; a process that
 * hides from all three lives until the login is taken away.
 */
export interface Enclosure {
  /** Variables for the environment of the shell. */
  readonly mark: Readonly<Record<string, string>>;
  /** Takes the shell in, in the moment in which it was started and has no child yet. */
  admit(pid: number): void;
  /** What of it is alive. */
  members(): Promise<number[]>;
  /** Kills all of it. Throws when something does not end. */
  kill(): Promise<void>;
  /** Gives the control group back, unless something was left to run in it. */
  leave(): void;
}

const variable = 'GPUAAS_TERMINAL';
/** A killed process takes a moment to go; one that is there after all of these does not go at all. */
const rounds = 100;
const betweenLooksMs = 20;
/** Looks in a row that must find nothing: a process that forks may hide from one. */
const emptyLooks = 2;

export function makeEnclosure(parts: { readonly proc?: string; readonly groups?: string } = {}): Enclosure {
  const { proc = '/proc', groups = '/sys/fs/cgroup' } = parts;
  const id = randomUUID();
  const mark = { [variable]: id };
  let group: string | undefined;
  let shell = 0;

  const inGroup = async (): Promise<number[]> => {
    const text = group ? await readFile(join(group, 'cgroup.procs'), 'utf8').catch(() => '') : '';
    return text.split('\n').filter(Boolean).map(Number);
  };
  const members = async (): Promise<number[]> => {
    const seen = await look(proc, `${variable}=${id}`, shell);
    // The group also lists the dead that nobody has buried.
    const grouped = await Promise.all((await inGroup()).map(async (pid) => [pid, await readStat(proc, pid)] as const));
    return [...new Set([...seen, ...grouped.filter(([, stat]) => stat).map(([pid]) => pid)])];
  };
  const killOnce = async (): Promise<number> => {
    const left = await members();
    // In one step, so that nothing can fork in between. Kernels before 5.14 have no such file.
    if (group) await writeFile(join(group, 'cgroup.kill'), '1', { flag: 'r+' }).catch(() => undefined);
    for (const pid of left) signal(pid, 'SIGKILL');
    return left.length;
  };
  return {
    mark,
    admit(pid) {
      shell = pid;
      const made = makeGroup(proc, groups, `gpuaas-terminal-${id}`);
      if (!made) return;
      try {
        writeFileSync(join(made, 'cgroup.procs'), String(pid));
        group = made;
      } catch {
        rmdirSync(made);
      }
    },
    members,
    async kill() {
      for (let round = 0, quiet = 0; quiet < emptyLooks; round += 1) {
        const left = await killOnce();
        quiet = left === 0 ? quiet + 1 : 0;
        if (left > 0 && round >= rounds) throw new HostFailure('user_remains', `${left} processes do not end.`);
        if (left > 0) await rest(betweenLooksMs);
      }
    },
    leave() {
      if (!group) return;
      try {
        rmdirSync(group);
        group = undefined;
      } catch {
        // A person left something running on purpose. The group goes with the last of it, or with the agent's own.
      }
    },
  };
}

/** A control group below the agent's own, or nothing where it may not make one. */
function makeGroup(proc: string, groups: string, name: string): string | undefined {
  try {
    // Version 2, or where systemd mounts it beside version 1.
    const tree = [groups, join(groups, 'unified')].find((one) => existsSync(join(one, 'cgroup.procs')));
    const own = /^0::(\/.*)$/m.exec(readFileSync(join(proc, 'self/cgroup'), 'utf8'))?.[1];
    if (tree === undefined || own === undefined) return undefined;
    const made = join(tree, own, name);
    mkdirSync(made);
    return made;
  } catch {
    return undefined;
  }
}

interface Stat {
  readonly parent: number;
  readonly session: number;
}
/** Nothing for a process that is gone, or dead and only not yet buried. */
async function readStat(proc: string, pid: number): Promise<Stat | undefined> {
  const text = await readFile(join(proc, String(pid), 'stat'), 'utf8').catch(() => '');
  // The name in brackets may hold anything; the rest comes after the last one.
  const [state = 'X', parent, , session] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return text === '' || 'ZX'.includes(state) ? undefined : { parent: Number(parent), session: Number(session) };
}

async function look(proc: string, mark: string, shell: number): Promise<number[]> {
  const found = new Set<number>();
  const stats = new Map<number, Stat>();
  for (const name of await readdir(proc).catch(() => [])) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    const stat = await readStat(proc, pid);
    if (!stat) continue;
    stats.set(pid, stat);
    const environment = await readFile(join(proc, name, 'environ'), 'utf8').catch(() => '');
    if (pid === shell || stat.session === shell || environment.split('\0').includes(mark)) found.add(pid);
  }
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const [pid, { parent }] of stats) if (found.has(parent)) found.add(pid);
  }
  return [...found];
}

export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It was faster.
  }
}
