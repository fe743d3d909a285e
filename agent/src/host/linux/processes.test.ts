import { describe, expect, it } from 'vitest';
import { failureOf } from '../conformance-rig.ts';
import { endProcesses, isAliveAs } from './processes.ts';

/** A table of processes, each with the signals that it heeds. */
function makeTable(heeds: Record<number, NodeJS.Signals[]>) {
  const alive = new Map(Object.entries(heeds).map(([pid, signals]) => [Number(pid), signals]));
  const sent: string[] = [];
  let sleeps = 0;
  return {
    sent,
    get sleeps() {
      return sleeps;
    },
    parts: {
      processes: {
        of: async () => [...alive.keys()],
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

describe('ending what runs in somebody’s name', () => {
  it('asks first, and does not ask again when that was enough', async () => {
    const table = makeTable({ 7: ['SIGTERM'], 8: ['SIGHUP'] });
    await endProcesses(table.parts, 20_001, 1_000);
    expect(table.sent.some((line) => line.startsWith('SIGKILL'))).toBe(false);
    expect(table.sent).toContain('SIGTERM 7');
  });

  it('insists when it was not, after the time that was given', async () => {
    const table = makeTable({ 7: ['SIGKILL'] });
    await endProcesses(table.parts, 20_001, 1_000);
    expect(table.sent.at(-1)).toBe('SIGKILL 7');
    expect(table.sleeps).toBeGreaterThanOrEqual(20);
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

  it('counts every id that a process has, and no zombies', () => {
    const status = (state: string, ids: string) => `Name:\tUid:\nState:\t${state}\nUid:\t${ids}\nGid:\t0\t0\t0\t0\n`;
    expect(isAliveAs(status('S (sleeping)', '0\t0\t20001\t0'), 20_001)).toBe(true);
    expect(isAliveAs(status('Z (zombie)', '20001\t20001\t20001\t20001'), 20_001)).toBe(false);
    expect(isAliveAs(status('R (running)', '2000\t200010\t0\t0'), 20_001)).toBe(false);
    expect(isAliveAs('', 20_001)).toBe(false);
  });
});
