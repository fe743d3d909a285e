import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NodeTaskResult } from '@gpuaas/contract/node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeDisk } from '../disk.ts';
import { makeTestSigner } from '../testing/signer.ts';
import { openJournal } from './journal.ts';

describe('the journal of tasks', () => {
  let dir: string;
  const disk = makeDisk({ forced: false });
  const open = () => openJournal({ disk, dir });
  const signer = makeTestSigner();
  const nodeId = randomUUID();
  const resultOf = (taskId: string): NodeTaskResult => ({
    task_id: taskId,
    node_id: nodeId,
    task_type: 'diag.health_probe',
    generation: 1,
    outcome: 'succeeded',
    started_at: '2026-01-01T00:00:00.000Z',
    finished_at: '2026-01-01T00:00:01.000Z',
    signature: 'A'.repeat(86),
  });
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'gpuaas-journal-'));
  });
  afterEach(() => rm(dir, { recursive: true, maxRetries: 5 }));

  it('keeps each step through a restart, in the order in which tasks came', async () => {
    const journal = await open();
    const tasks = Array.from({ length: 4 }, () => signer.task({ nodeId }));
    const [, second, third, fourth] = await Promise.all(tasks.map((task) => journal.accept(task)));
    if (!second || !third || !fourth) throw new Error('four tasks make four entries');
    await journal.begin(second, 'now');
    await journal.finish(third, resultOf(third.task.task_id));
    await journal.acknowledge(await journal.finish(fourth, resultOf(fourth.task.task_id)));
    const again = await open();
    expect(again.open().map(({ state, task }) => [state, task.task_id])).toEqual([
      ['accepted', tasks[0]?.task_id],
      ['running', tasks[1]?.task_id],
      ['done', tasks[2]?.task_id],
    ]);
    expect(again.find(tasks[3]?.task_id ?? '')).toMatchObject({ state: 'acknowledged' });
    expect((await again.recall(tasks[3]?.task_id ?? ''))?.result).toMatchObject({ outcome: 'succeeded' });
    expect((await again.accept(signer.task({ nodeId }))).sequence).toBe(5);
  });

  it('forgets what was acknowledged some time after it expired, and nothing else', async () => {
    const journal = await open();
    const task = signer.task({ nodeId, ttlMs: 60_000 });
    const waiting = signer.task({ nodeId, ttlMs: 60_000 });
    await journal.accept(waiting);
    await journal.acknowledge(await journal.finish(await journal.accept(task), resultOf(task.task_id)));
    const expiresMs = Date.parse(task.expires_at);
    await journal.prune(expiresMs + 1_000);
    expect(journal.find(task.task_id)).toBeDefined();
    await journal.prune(expiresMs + 3_600_000);
    expect(journal.find(task.task_id)).toBeUndefined();
    expect(journal.find(waiting.task_id)).toBeDefined();
    expect(await readdir(dir)).toEqual([`${waiting.task_id}.json`]);
  });
});
