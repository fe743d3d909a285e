import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { failureOf } from '../../conformance-rig.ts';
import { HostFailure } from '../../port.ts';
import { endProcesses, isAliveAs, readProcesses } from './processes.ts';

/** A table of processes, each with the signals that it heeds. */
function makeTable(
  heeds: Record<number, NodeJS.Signals[]>,
  options: { readonly failures?: number; readonly later?: readonly [number, NodeJS.Signals[]][] } = {},
) {
  const alive = new Map(Object.entries(heeds).map(([pid, signals]) => [Number(pid), signals]));
  const sent: string[] = [];
  /** What a daemon starts right after a kill, one at a time. */
  const later = [...(options.later ?? [])];
  let failsToKill = options.failures ?? 0;
  let sleeps = 0;
  return {
    sent,
    get sleeps() {
      return sleeps;
    },
    parts: {
      processes: {
        of: async () => [...alive.keys()],
        all: async () => [],
        async killAll(uid: number) {
          if (failsToKill > 0) {
            failsToKill -= 1;
            throw new HostFailure('user_remains', 'The process could not be started.');
          }
          sent.push(`all of ${uid}`);
          for (const [pid, signals] of alive) if (signals.includes('SIGKILL')) alive.delete(pid);
          for (const [pid, signals] of later.splice(0, 1)) alive.set(pid, signals);
        },
        killSessions: async () => undefined,
        signal(pid: number, signal: NodeJS.Signals) {
          sent.push(`${signal} ${pid}`);
          if (alive.get(pid)?.includes(signal)) alive.delete(pid);
        },
      },
      clock: {
        now: () => new Date(0),
        sleep: async () => {
          sleeps += 1;
        },
      },
    },
  };
}

const twice = (word: string) => [word, word];

describe('ending what runs in somebody’s name', () => {
  it('asks first, and gives time to those who can be seen', async () => {
    const table = makeTable({ 7: ['SIGTERM'], 8: ['SIGHUP'] });
    await endProcesses(table.parts, 20_001, 1_000);
    expect(table.sent.some((line) => line.startsWith('SIGKILL'))).toBe(false);
    expect(table.sent.indexOf('SIGTERM 7')).toBeLessThan(table.sent.indexOf('all of 20001'));
    const stubborn = makeTable({ 7: ['SIGKILL'] });
    await endProcesses(stubborn.parts, 20_001, 1_000);
    expect(stubborn.sleeps).toBeGreaterThanOrEqual(20);
  });

  it('kills twice where nothing is seen: what cannot be seen may be there all the same', async () => {
    const table = makeTable({});
    await endProcesses(table.parts, 20_001, 1_000);
    expect(table.sent).toEqual(['all of 20001', 'all of 20001']);
    expect(table.sleeps).toBe(0);
  });

  it('goes on until two looks in a row find nothing', async () => {
    const table = makeTable(
      {},
      {
        later: [
          [9, ['SIGKILL']],
          [10, ['SIGKILL']],
        ],
      },
    );
    await endProcesses(table.parts, 20_001, 0);
    expect(table.sent).toEqual(['all of 20001', 'SIGKILL 9', 'all of 20001', 'SIGKILL 10', ...twice('all of 20001')]);
  });

  it('tries again when the kill itself fails, and says why when it never succeeds', async () => {
    const table = makeTable({}, { failures: 3 });
    await endProcesses(table.parts, 20_001, 0);
    expect(table.sent).toEqual(twice('all of 20001'));
    const never = makeTable({}, { failures: Number.POSITIVE_INFINITY });
    await expect(endProcesses(never.parts, 20_001, 0)).rejects.toThrow('could not be started');
  });

  it('does not call gone what is still there', async () => {
    expect(await failureOf(endProcesses(makeTable({ 7: [] }).parts, 20_001, 0))).toBe('user_remains');
  });

  it('never touches what the system itself runs', async () => {
    const table = makeTable({ 1: ['SIGTERM'] });
    await expect(endProcesses(table.parts, 0, 0)).rejects.toThrow(/system’s own/);
    await expect(endProcesses(table.parts, 999, 0)).rejects.toThrow(/system’s own/);
    expect(table.sent).toEqual([]);
  });

  it('finds what took on another id, by the sessions it was started in, and kills these as one', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gpuaas-proc-'));
    const [proc, groups] = [join(folder, 'proc'), join(folder, 'cgroup')];
    const put = async (path: string, text: string) => {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text);
    };
    const add = async (pid: number, uid: number, cgroup: string, state = 'S (sleeping)') => {
      await put(join(proc, `${pid}`, 'status'), `State:\t${state}\nUid:\t${uid}\t${uid}\t${uid}\t${uid}\n`);
      await put(join(proc, `${pid}`, 'cgroup'), cgroup);
    };
    const sessions = '/user.slice/user-20001.slice/session-3.scope';
    await add(11, 20_001, '0::/system.slice/ssh.service\n');
    await add(12, 165_536, `0::${sessions}\n`);
    await add(13, 165_537, `12:cpu:/\n1:name=systemd:${sessions}\n`);
    await add(14, 165_538, `0::${sessions}\n`, 'Z (zombie)');
    await add(15, 30_000, '0::/user.slice/user-200011.slice/session-4.scope\n');
    await put(join(groups, 'user.slice/user-20001.slice/cgroup.kill'), '');
    const processes = readProcesses({ proc, groups });
    expect((await processes.of(20_001)).toSorted((a, b) => a - b)).toEqual([11, 12, 13]);
    await processes.killSessions(20_001);
    expect(await readFile(join(groups, 'user.slice/user-20001.slice/cgroup.kill'), 'utf8')).toBe('1');
    // A machine without that file is no failure: what is found is killed one by one.
    await processes.killSessions(20_002);
    // One where it cannot be written is a failure: the unit of the agent keeps it from its work.
    await mkdir(join(groups, 'user.slice/user-20003.slice/cgroup.kill'), { recursive: true });
    expect(await failureOf(processes.killSessions(20_003))).toBe('user_remains');
    await rm(folder, { recursive: true });
  });

  it('looks at more processes than it may have open files', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gpuaas-many-'));
    for (let pid = 100_000; pid < 103_000; pid += 1) {
      await mkdir(join(folder, `${pid}`));
      await writeFile(join(folder, `${pid}/status`), 'State:\tS (sleeping)\nUid:\t20001\t20001\t20001\t20001\n');
    }
    const script = `
      const { readProcesses } = await import(${JSON.stringify(new URL('./processes.ts', import.meta.url).href)});
      console.log((await readProcesses({ proc: ${JSON.stringify(folder)} }).of(20001)).length);`;
    const words = ['--nofile=256', process.execPath, '--input-type=module', '--eval', script];
    const { stdout } = await promisify(execFile)('/usr/bin/prlimit', words);
    expect(stdout.trim()).toBe('3000');
    await rm(folder, { recursive: true });
  }, 60_000);

  it('counts every id that a process has, and no zombies', () => {
    const status = (state: string, ids: string) => `Name:\tUid:\nState:\t${state}\nUid:\t${ids}\nGid:\t0\t0\t0\t0\n`;
    expect(isAliveAs(status('S (sleeping)', '0\t0\t20001\t0'), 20_001)).toBe(true);
    expect(isAliveAs(status('Z (zombie)', '20001\t20001\t20001\t20001'), 20_001)).toBe(false);
    expect(isAliveAs(status('R (running)', '2000\t200010\t0\t0'), 20_001)).toBe(false);
    expect(isAliveAs('', 20_001)).toBe(false);
  });
});
