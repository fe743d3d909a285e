import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeDisk } from './disk.ts';
import { openDrain } from './drain.ts';
import { TaskFailure } from './tasks/failure.ts';

describe('draining', () => {
  let folder: string;
  const disk = makeDisk({ forced: true });
  const open = () => openDrain({ disk, path: join(folder, 'drain.json') });
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gpuaas-drain-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('refuses new leases, also after a restart', async () => {
    const drain = await open();
    expect(() => drain.refuseNewLeases()).not.toThrow();
    await drain.begin(null);
    expect(() => drain.refuseNewLeases()).toThrow(TaskFailure);
    expect((await open()).isDraining).toBe(true);
  });

  it('ends when the control plane calls the node active twice in a row, and not by an answer from before', async () => {
    const drain = await open();
    const before = drain.epoch;
    await drain.begin(null);
    await drain.hear('active', before);
    await drain.hear('active', before);
    expect(drain.isDraining).toBe(true);
    await drain.hear('active', drain.epoch);
    await drain.hear('draining', drain.epoch);
    await drain.hear('active', drain.epoch);
    expect(drain.isDraining).toBe(true);
    await drain.hear('active', drain.epoch);
    expect(drain.isDraining).toBe(false);
    expect((await open()).isDraining).toBe(false);
  });

  it('is believed also by a file that says nothing else', async () => {
    await writeFile(join(folder, 'drain.json'), '{"drai');
    expect((await open()).isDraining).toBe(true);
  });
});
