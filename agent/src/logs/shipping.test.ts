import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { droppedLinesHeader, logPushLimits, logPushPath, NodeLogPush } from '@gpuaas/contract/node';
import { Check } from 'typebox/value';
import { afterEach, describe, expect, it } from 'vitest';
import { systemChance } from '../chance.ts';
import { systemClock } from '../clock.ts';
import { makeDisk } from '../disk.ts';
import { makeSerialConsoles } from '../host/linux/serial-console.ts';
import type { ConsoleLine } from '../host/port.ts';
import { silentLog } from '../telemetry/log.ts';
import type { Answer, Call } from '../transport/client.ts';
import { openLogShipping } from './shipping.ts';

const folders: string[] = [];
const makeFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'gpuaas-lines-'));
  folders.push(folder);
  return folder;
};
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});
const disk = makeDisk({ forced: false });
const [allocation, task] = ['01900000-0000-7000-8000-000000000001', '01900000-0000-7000-8000-000000000002'];

/** A node whose gateway gives these answers, one after the other. */
async function open(dir: string, answers: readonly number[]) {
  const pushed: { readonly call: Call; readonly url: string }[] = [];
  const consoles: ConsoleLine[] = [];
  const stop = new AbortController();
  const shipping = await openLogShipping({
    host: { consoles: async () => consoles.splice(0) },
    connection: {
      to: async (url) => ({
        async call(call): Promise<Answer> {
          pushed.push({ call, url });
          return { status: answers[pushed.length - 1] ?? 204, body: undefined, retryAfterMs: 1 };
        },
      }),
      close: () => undefined,
    },
    time: { now: () => new Date() },
    ...{ clock: systemClock, chance: systemChance, log: silentLog, disk, dir, everyMs: 5 },
  });
  const end = (done: Promise<void>): Promise<void> => {
    stop.abort();
    return done;
  };
  return { shipping, pushed, consoles, run: () => shipping.run(stop.signal), end };
}
const bodies = (pushed: readonly { readonly call: Call }[]) => pushed.map(({ call }) => call.body as NodeLogPush);
const linesIn = (pushes: readonly NodeLogPush[]) =>
  pushes.flatMap(({ streams }) => streams.flatMap(({ values }) => values.map(([, line]) => line)));

describe('lines of a node', () => {
  it('are pushed in Loki’s form to the address that heartbeats name, with the ids that they are found by', async () => {
    const { shipping, pushed, consoles, run, end } = await open(makeFolder(), []);
    const ids = { task_id: task, allocation_id: allocation, correlation_id: 'req-1' };
    shipping.log.info({ ...ids, task_type: 'slice.vm_provision', token: 'hidden-token' }, 'a task began');
    shipping.log.debug({}, 'nobody needs this');
    consoles.push({ allocationId: allocation, text: '\u001b[1;32mboot\u001b[0m\u0007 ok' });
    const done = run();
    await expect.poll(() => shipping.waiting).toBeGreaterThan(1);
    expect(pushed).toEqual([]);
    shipping.hear('https://nodes.test:8445');
    await expect.poll(() => shipping.waiting).toBe(0);
    await end(done);
    expect(new Set(pushed.map(({ url, call }) => `${call.method} ${url}${call.path}`))).toEqual(
      new Set([`POST https://nodes.test:8445${logPushPath}`]),
    );
    const said = bodies(pushed);
    expect(said.every((body) => Check(NodeLogPush, body))).toBe(true);
    expect(linesIn(said)).toEqual([expect.stringContaining('a task began {"task_type"'), 'boot ok']);
    expect(said.flatMap(({ streams }) => streams)).toMatchObject([
      { stream: { stream: 'agent', level: 'info' }, values: [[expect.any(String), expect.any(String), ids]] },
      { stream: { stream: 'console', allocation_id: allocation } },
    ]);
    expect(JSON.stringify(said)).not.toContain('hidden-token');
  });

  it('survive outages of the gateway and of the agent, each pushed once', async () => {
    const dir = makeFolder();
    const first = await open(
      dir,
      Array.from({ length: 1_000 }, () => 503),
    );
    first.shipping.log.warn({}, 'kept');
    first.shipping.hear('https://nodes.test');
    const done = first.run();
    await expect.poll(() => first.pushed.length).toBeGreaterThan(1);
    await first.end(done);
    const second = await open(dir, []);
    second.shipping.hear('https://nodes.test');
    const again = second.run();
    await expect.poll(() => second.shipping.waiting).toBe(0);
    await second.end(again);
    expect(linesIn(bodies(second.pushed)).filter((line) => line === 'kept')).toHaveLength(1);
  });

  it('are bounded: what finds no room is counted, and the next push says how many', async () => {
    const { shipping, pushed, run, end } = await open(makeFolder(), []);
    for (let count = 0; count < 2_050; count += 1) shipping.log.info({}, `line ${count}`);
    expect([shipping.waiting, shipping.lost]).toEqual([2_000, 50]);
    shipping.hear('https://nodes.test');
    const done = run();
    await expect.poll(() => shipping.waiting).toBe(0);
    await end(done);
    expect(pushed[0]?.call.headers?.[droppedLinesHeader]).toBe('50');
    expect(pushed.slice(1).every(({ call }) => call.headers?.[droppedLinesHeader] === '0')).toBe(true);
    expect(bodies(pushed).every((body) => linesIn([body]).length <= logPushLimits.lines)).toBe(true);
    expect(linesIn(bodies(pushed))).toHaveLength(2_000);
  });
});

describe('the serial console of a machine', () => {
  it('is read in whole lines from where the last agent was, and a flood is skipped and says so', async () => {
    const folder = join(makeFolder(), allocation);
    mkdirSync(folder);
    const file = join(folder, 'console.log');
    const read = async () => {
      const look = makeSerialConsoles({ disk, machines: async () => [{ allocationId: allocation, folder }] });
      return (await look()).map(({ text }) => text);
    };
    expect(await read()).toEqual([]);
    writeFileSync(file, 'one\r\ntwo\nhalf');
    expect(await read()).toEqual(['one', 'two']);
    appendFileSync(file, ' a line\n');
    expect(await read()).toEqual(['half a line']);
    expect(await read()).toEqual([]);
    appendFileSync(file, 'x'.repeat(80).concat('\n').repeat(20_000));
    const flood = await read();
    expect(flood[0]).toContain('bytes were skipped');
    expect(flood.length).toBeLessThan(50);
  });
});
