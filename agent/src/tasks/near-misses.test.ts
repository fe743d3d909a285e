import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NodeTask } from '@gpuaas/contract/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ExecutorBench, makeExecutorBench } from '../testing/executor-bench.ts';
import { provisionSlice } from '../testing/params.ts';
import { makeTestSigner } from '../testing/signer.ts';

/** Forgeries that differ from an honest task in one character. Whoever compares only a part of a field obeys some. */
const nodeId = randomUUID();
const mine = makeTestSigner();

const digits = '0123456789abcdef';
/** The same text with one character changed, once for each position that has a hexadecimal digit. */
const nearTo = (text: string): string[] =>
  text.split('').flatMap((char, at) => {
    const digit = digits.indexOf(char);
    return digit < 0 ? [] : [text.slice(0, at) + digits[(digit + 1) % digits.length] + text.slice(at + 1)];
  });
const unsigned = (task: NodeTask): Omit<NodeTask, 'signature'> => {
  const { signature: _, ...rest } = task;
  return rest;
};
const honest = () =>
  mine.task({
    nodeId,
    type: 'slice.vm_provision',
    params: provisionSlice({ allocationId: randomUUID(), slotIds: [randomUUID()] }),
  });

describe('a task that is almost right', () => {
  let bench: ExecutorBench;
  let stateDir: string;
  beforeAll(async () => {
    stateDir = await mkdtemp(join(tmpdir(), 'gpuaas-near-'));
    bench = await makeExecutorBench({ stateDir, nodeId, signers: [mine.version()] });
  });
  afterAll(() => rm(stateDir, { recursive: true, force: true }));

  it('is not obeyed when one digit of its addressee differs, at any position, though it is signed', async () => {
    const near = nearTo(nodeId);
    expect(near).toHaveLength(32);
    for (const other of near) {
      expect({ other, verdict: await bench.executor.offer(mine.task({ nodeId: other })) }).toEqual({
        other,
        verdict: 'refused',
      });
    }
    expect(bench.executor.refused['foreign_node']).toBe(32);
    const longer = [`${nodeId}0`, nodeId.slice(0, -1), nodeId.toUpperCase(), ` ${nodeId}`];
    for (const other of longer.filter((text) => text !== nodeId)) {
      expect(await bench.executor.offer(mine.task({ nodeId: other }))).not.toBe('accepted');
    }
    expect(bench.host.calls).toEqual([]);
  });

  it('is not obeyed when one digit of its signer differs, at any position', async () => {
    for (const other of nearTo(mine.version().signer_version_id)) {
      const task = mine.sign({ ...unsigned(honest()), signer_version_id: other });
      expect(await bench.executor.offer(task)).toBe('refused');
    }
    expect(bench.executor.refused['unknown_signer']).toBe(32);
    expect(bench.host.calls).toEqual([]);
  });

  it('is not obeyed when one character anywhere in it was changed after it was signed', async () => {
    let tried = 0;
    const task = honest();
    const ways = Object.entries(task).flatMap(([name, value]) => {
      const text = JSON.stringify(value);
      // The last character of a signature has bits that say nothing.
      const near =
        name === 'signature' ? nearTo(text.slice(0, -2)).map((one) => `${one}${text.slice(-2)}`) : nearTo(text);
      return near.flatMap((one) => {
        try {
          return [{ ...task, [name]: JSON.parse(one) as unknown }];
        } catch {
          return [];
        }
      });
    });
    for (const changed of ways) {
      tried += 1;
      const verdict = await bench.executor.offer(changed);
      expect({ verdict, changed }).not.toMatchObject({ verdict: 'accepted' });
    }
    expect(tried).toBeGreaterThan(200);
    expect(bench.host.calls).toEqual([]);
    expect(await bench.executor.offer(task)).toBe('accepted');
    await bench.idle();
  });
});
