import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDemoMarks } from './demo-marks.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gpuaas-marks-'));
});
afterAll(() => rm(folder, { recursive: true }));

it('a part of the demo history is written once, also after a restart, and again if it failed', async () => {
  let written = 0;
  const write = async () => {
    written += 1;
  };
  const first = await openDemoMarks(folder);
  await expect(first.once('launches', () => Promise.reject(new Error('no room')))).rejects.toThrow('no room');
  await first.once('launches', write);
  await first.once('launches', write);
  await (await openDemoMarks(folder)).once('launches', write);
  expect(written).toBe(1);
});
