import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../server/src/testing/servers/start.ts';
import { root } from '../lib/tree.ts';
import type { Options } from './options.ts';
import { type Footprint, footprints, memoryOf } from './processes.ts';
import { type Report, short } from './report.ts';
import { medianWithInterval } from './statistics.ts';

/** `npm start` as a person types it: how long until it is ready, and how much memory it then holds. */
const readyLine = /Ready in/;
const settleMs = 5_000;
const readyWithinMs = 120_000;

export async function measureStart(options: Options, report: Report): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'gpuaas-bench-start-'));
  await chmod(folder, 0o711);
  const port = await freePort();
  try {
    const first = await startOnce(folder, port);
    await first.stop();
    report.sample({ benchmark: 'start', start: 'first', seconds: first.seconds });
    const seconds: number[] = [];
    const held: number[] = [];
    const rss: number[] = [];
    let last: readonly Footprint[] = [];
    for (let round = 0; round < options.pairs; round += 1) {
      const started = await startOnce(folder, port);
      await pause(settleMs);
      last = started.memory();
      const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
      if (answer?.status !== 200) report.violated(`round ${round}: it said that it was ready, and was not`);
      seconds.push(started.seconds);
      held.push(last.reduce((sum, { heldMb }) => sum + heldMb, 0));
      rss.push(last.reduce((sum, { rssMb }) => sum + rssMb, 0));
      const late = await started.stop();
      if (late) report.violated(`round ${round}: it did not stop when it was asked to`);
      report.sample({ benchmark: 'start', start: 'warm', round, seconds: seconds.at(-1), memory: last });
    }
    report.table({
      title: `Memory of the last of ${options.pairs} warm starts, ${settleMs / 1_000} s after it was ready, in MB`,
      columns: ['program', 'processes', 'held', 'sum of RSS'],
      rows: last.map(({ program, processes, heldMb, rssMb }) => [
        program,
        String(processes),
        short(heldMb),
        short(rssMb),
      ]),
    });
    report.say(`\nThe first start, which makes the database: ${short(first.seconds)} s.`);
    const warm = medianWithInterval(seconds);
    report.verdict({ claim: 'warm npm start to ready', unit: 's', found: warm, goal: { at: 'most', value: 10 } });
    for (const [claim, values] of [
      ['memory at idle, shared pages once', held],
      ['memory at idle, sum of RSS', rss],
    ] as const) {
      report.verdict({ claim, unit: 'MB', found: medianWithInterval(values), goal: { at: 'most', value: 700 } });
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Started {
  readonly seconds: number;
  memory(): Footprint[];
  /** Answers whether it had to be killed. */
  stop(): Promise<boolean>;
}

async function startOnce(folder: string, port: number): Promise<Started> {
  const began = performance.now();
  const child: ChildProcess = spawn('npm', ['start', '--', '--data', folder, '--port', String(port)], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let said = '';
  const ready = Promise.withResolvers<number>();
  const note = (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-8_000);
    if (readyLine.test(said)) ready.resolve(performance.now());
  };
  child.stdout?.on('data', note);
  child.stderr?.on('data', note);
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const failed = gone.then(() => Promise.reject(new Error(`npm start ended:\n${said}`)));
  failed.catch(() => undefined);
  const late = pause(readyWithinMs, undefined, { ref: false }).then(() =>
    Promise.reject(new Error(`npm start was not ready within ${readyWithinMs / 1_000} s:\n${said}`)),
  );
  late.catch(() => undefined);
  const pid = child.pid ?? 0;
  const signal = (name: NodeJS.Signals) => {
    try {
      // The group: npm, its shell and the product, as a terminal's Ctrl-C would.
      process.kill(-pid, name);
    } catch {
      // Gone already.
    }
  };
  try {
    const readyAt = await Promise.race([ready.promise, failed, late]);
    return {
      seconds: (readyAt - began) / 1_000,
      // npm and its shell are how it was started, not what runs: npm is the one that we started, and has one child.
      memory: () =>
        footprints(memoryOf([pid]).filter((each) => each.pid !== pid && !/^(?:sh|dash|bash)$/.test(each.program))),
      async stop() {
        signal('SIGINT');
        const patience = setTimeout(() => signal('SIGKILL'), 30_000);
        const stoppedAt = performance.now();
        await gone;
        clearTimeout(patience);
        return performance.now() - stoppedAt > 29_000;
      },
    };
  } catch (error) {
    signal('SIGKILL');
    throw error;
  }
}
