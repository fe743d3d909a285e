import { appendFileSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mostSamples, type NodeSample, type NodeTelemetryReport } from '@gpuaas/contract/node';
import { afterEach, describe, expect, it } from 'vitest';
import { systemChance } from '../chance.ts';
import { makeDisk } from '../disk.ts';
import type { Answer, Client } from '../transport/client.ts';
import { openSampleJournal } from './journal.ts';
import { silentLog } from './log.ts';
import { openTelemetry } from './telemetry.ts';
import { makeHeatWatch } from './thermal.ts';

const folders: string[] = [];
const makeFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'gpuaas-samples-'));
  folders.push(folder);
  return folder;
};
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const disk = makeDisk({ forced: false });
const sample = (second: number, throttle?: number): NodeSample => ({
  at: new Date(second * 1_000).toISOString(),
  source: 'host',
  gpus: ['GPU-00000000-1111-2222-3333-444444444444'],
  host: { cpu_percent: 1 },
  gpu: { utilization: [50], ...(throttle !== undefined && { throttle: [throttle] }) },
});

describe('samples on disk', () => {
  it('survive the process, and a torn last line spoils nothing', async () => {
    const dir = makeFolder();
    const first = await openSampleJournal({ disk, dir });
    await first.append([sample(1)]);
    await first.append([sample(2)]);
    appendFileSync(join(dir, readdirSync(dir)[0] ?? ''), '{"at":"2026-01-01T00:0');
    const second = await openSampleJournal({ disk, dir });
    expect(second.waiting).toBe(2);
    const batch = await second.next();
    expect(batch?.items).toEqual([sample(1), sample(2)]);
    await batch?.done();
    expect(await second.next()).toBeUndefined();
    expect(readdirSync(dir)).toEqual([]);
  });

  it('never take more than their share: the oldest go, and are counted', async () => {
    const dir = makeFolder();
    const journal = await openSampleJournal({ disk, dir, capBytes: 40_000 });
    const made = 10 * mostSamples;
    for (let second = 0; second < made; second += 1) await journal.append([sample(second)]);
    const bytes = readdirSync(dir).reduce((sum, name) => sum + statSync(join(dir, name)).size, 0);
    expect(bytes).toBeLessThan(60_000);
    expect(journal.lost).toBeGreaterThan(0);
    expect(journal.lost + journal.waiting).toBe(made);
    expect((await journal.next())?.items[0]).toEqual(sample(journal.lost));
  });

  it('that come while a batch is on its way are in the next one', async () => {
    const journal = await openSampleJournal({ disk, dir: makeFolder() });
    await journal.append([sample(1)]);
    const batch = await journal.next();
    await journal.append([sample(2)]);
    await batch?.done();
    expect((await journal.next())?.items).toEqual([sample(2)]);
  });
});

describe('telemetry', () => {
  /** Runs until the control plane has answered so many times. */
  async function run(dir: string, answers: readonly (Pick<Answer, 'status' | 'body'> | Error)[]) {
    const said: NodeTelemetryReport[] = [];
    const stop = new AbortController();
    let measured = 0;
    const client = {
      async call({ body }: { body?: object }) {
        said.push(body as NodeTelemetryReport);
        const answer = answers[said.length - 1];
        if (said.length >= answers.length) stop.abort();
        if (answer instanceof Error) throw answer;
        return { retryAfterMs: undefined, ...answer };
      },
    } as unknown as Client;
    const telemetry = await openTelemetry({
      ...{ nodeId: 'n', client: () => client, disk, dir, log: silentLog, chance: systemChance, everyMs: 1 },
      host: {
        async samples() {
          measured += 1;
          const { at: _, ...rest } = sample(0, 0x40);
          return [rest];
        },
      },
      time: { now: () => new Date(measured * 1_000) },
      clock: { now: () => new Date(), sleep: (ms) => new Promise((resolve) => setTimeout(resolve, Math.min(ms, 2))) },
    });
    await telemetry.run(stop.signal);
    return { said, telemetry };
  }
  const stored = { status: 200, body: { stored: 1, refused: 0 } };

  it('is sent again until it is answered, and by the next process too', async () => {
    const dir = makeFolder();
    const { said } = await run(dir, [new Error('away'), { status: 503, body: {} }, new Error('killed')]);
    const first = said[0]?.samples[0];
    expect(said.map(({ samples }) => samples[0])).toEqual([first, first, first]);
    const { said: later } = await run(dir, [stored]);
    expect(later[0]?.samples[0]).toEqual(first);
    const { said: last } = await run(dir, [stored]);
    expect(last[0]?.samples[0]).not.toEqual(first);
  });

  it('is given up when it can never be taken, so that it does not keep the rest back', async () => {
    const { said } = await run(makeFolder(), [{ status: 400, body: {} }, stored]);
    expect(said[1]?.samples[0]).not.toEqual(said[0]?.samples[0]);
  });
});

describe('heat', () => {
  it('counts after three samples in a row, and no more after one without', () => {
    const watch = makeHeatWatch();
    for (const bits of [0x40, 0x20]) watch.see(sample(0, bits));
    expect(watch.hot).toEqual([]);
    watch.see(sample(0, 0x48));
    expect(watch.hot).toEqual([0]);
    // A power cap is no heat.
    watch.see(sample(0, 0x4));
    expect(watch.hot).toEqual([]);
    watch.see(undefined);
    expect(watch.hot).toEqual([]);
  });
});
