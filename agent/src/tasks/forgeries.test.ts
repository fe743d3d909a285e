import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type NodeTask, type NodeTaskType, nodeTaskTypes, signedText } from '@gpuaas/contract/node';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ExecutorBench, makeExecutorBench } from '../testing/executor-bench.ts';
import { provisionSlice } from '../testing/params.ts';
import { makeTestSigner } from '../testing/signer.ts';

/** Ten thousand in every run of the tests; `GPUAAS_FORGERIES=100000` for the whole proof. */
const forgeries = Number(process.env['GPUAAS_FORGERIES'] ?? '10000');

const nodeId = randomUUID();
const mine = makeTestSigner();
const stranger = makeTestSigner();
const revoked = makeTestSigner();
const transport = generateKeyPairSync('ec', { namedCurve: 'P-256' });

const good = (over: object = {}): NodeTask => ({ ...mine.task({ nodeId }), ...over });
const goodSlice = (): NodeTask =>
  mine.task({
    nodeId,
    type: 'slice.vm_provision',
    params: provisionSlice({ allocationId: randomUUID(), slotIds: [randomUUID()] }),
  });
const unsigned = (task: NodeTask): Omit<NodeTask, 'signature'> => {
  const { signature: _, ...rest } = task;
  return rest;
};

/** Values that look like something a field may hold, and values that do not. */
const anything = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.uuid(),
  fc.constantFrom(nodeId, '', 'node.self_update', '../../etc/passwd', '$(id)', '\u0000', '2026-01-01T00:00:00Z', 0, -1),
);
const member = fc.constantFrom(...(Object.keys(good()) as (keyof NodeTask)[]));

interface Forgery {
  readonly how: string;
  readonly make: (played: readonly NodeTask[]) => unknown;
}
const forgery: fc.Arbitrary<Forgery> = fc.oneof(
  fc.tuple(member, anything).map(([name, value]) => ({
    how: `${name} was edited`,
    make: () => {
      const task = good();
      // An edit that changes nothing is no edit.
      return JSON.stringify(task[name]) === JSON.stringify(value) ? { ...task, added: 1 } : { ...task, [name]: value };
    },
  })),
  fc.tuple(fc.string(), anything).map(([name, value]) => ({
    how: 'something was added',
    make: () => ({ ...good(), [`x${name}`]: value }),
  })),
  fc.constantFrom('hostname', 'slots', 'login', 'authorized_keys', 'lease', 'image').chain((name) =>
    anything.map((value) => ({
      how: `params.${name} was edited`,
      make: () => {
        const task = goodSlice();
        return { ...task, params: { ...task.params, [name]: value } };
      },
    })),
  ),
  fc.constantFrom('hostname', 'slots', 'login', 'authorized_keys', 'lease', 'image', 'surprise').chain((name) =>
    anything
      .filter((value) => name !== 'hostname' || typeof value !== 'string')
      .map((value) => ({
        how: `params.${name} is signed and does not fit`,
        make: () => {
          const task = goodSlice();
          const hostile = name === 'authorized_keys' ? ['ssh-ed25519 AAAA\ncommand="id" ssh-rsa AAAA'] : value;
          return mine.sign({ ...unsigned(task), params: { ...task.params, [name]: hostile } });
        },
      })),
  ),
  fc.string().map((name) => ({
    how: 'its type is signed and unknown',
    make: () => mine.sign({ ...unsigned(good()), task_type: `x.${name}` as NodeTaskType }),
  })),
  fc.constantFrom(...nodeTaskTypes).map((type) => ({
    how: 'a stranger signed it under our signer’s name',
    make: () => {
      const task = { ...unsigned(good()), task_type: type };
      return { ...stranger.sign(task) };
    },
  })),
  fc.constant({ how: 'a stranger signed it', make: () => stranger.task({ nodeId }) }),
  fc.constant({ how: 'a revoked key signed it', make: () => revoked.task({ nodeId }) }),
  fc.constant({
    how: 'the key of a connection signed it',
    make: () => {
      const task = unsigned(good());
      const made = sign('sha256', Buffer.from(signedText(task)), {
        key: transport.privateKey,
        dsaEncoding: 'ieee-p1363',
      });
      return { ...task, signature: made.toString('base64url').slice(0, 86) };
    },
  }),
  fc.constant({ how: 'it is for another node', make: () => mine.task({ nodeId: randomUUID() }) }),
  fc.integer({ min: 1, max: 10 ** 9 }).map((lateMs) => ({
    how: 'it has expired',
    make: () => mine.task({ nodeId, issuedAt: new Date(Date.now() - 60_000 - lateMs), ttlMs: 60_000 }),
  })),
  fc.integer({ min: 180_000, max: 10 ** 9 }).map((earlyMs) => ({
    how: 'it comes from the future',
    make: () => mine.task({ nodeId, issuedAt: new Date(Date.now() + earlyMs) }),
  })),
  fc.integer({ min: 25, max: 10_000 }).map((hours) => ({
    how: 'it would never end',
    make: () => mine.task({ nodeId, ttlMs: hours * 3_600_000 }),
  })),
  fc.nat().map((pick) => ({
    how: 'it was played before',
    make: (played: readonly NodeTask[]) => played[pick % played.length],
  })),
  fc.nat().map((pick) => ({
    how: 'it was played before with its members in another order',
    make: (played: readonly NodeTask[]) =>
      Object.fromEntries(Object.entries(played[pick % played.length] ?? {}).reverse()),
  })),
  fc.string({ maxLength: 100 }).map((signature) => ({
    how: 'its signature is made up',
    make: () => good({ signature }),
  })),
  fc.uint8Array({ minLength: 64, maxLength: 64 }).map((bytes) => ({
    how: 'its signature is noise',
    make: () => good({ signature: Buffer.from(bytes).toString('base64url') }),
  })),
  anything.map((value) => ({ how: 'it is no task at all', make: () => value })),
);

describe('tasks that must not be obeyed', () => {
  let bench: ExecutorBench;
  let stateDir: string;
  beforeAll(async () => {
    stateDir = await mkdtemp(join(tmpdir(), 'gpuaas-forgeries-'));
    bench = await makeExecutorBench({ stateDir, nodeId, signers: [mine.version(), revoked.version('revoked')] });
  });
  afterAll(() => rm(stateDir, { recursive: true, force: true }));

  it(`${forgeries} forged, edited, expired, foreign and replayed ones: none reaches the host`, {
    timeout: 60_000 + forgeries * 10,
  }, async () => {
    const played = [good(), goodSlice()];
    for (const task of played) expect(await bench.executor.offer(task)).toBe('accepted');
    await bench.idle();
    const before = bench.host.calls.length;
    expect(before).toBe(played.length);

    const offered: Record<string, number> = {};
    await fc.assert(
      fc.asyncProperty(forgery, async ({ how, make }) => {
        const verdict = await bench.executor.offer(make(played));
        expect(verdict, how).not.toBe('accepted');
        offered[how.replace(/^[a-z_.]+ (?=was edited|is signed)/, '… ')] = 1;
        expect(bench.host.calls.length, how).toBe(before);
      }),
      { numRuns: forgeries, endOnFailure: true },
    );
    await bench.idle();
    expect(bench.host.calls.length).toBe(before);
    // Every way to forge was really tried, and the honest task still works.
    expect(Object.keys(offered).length).toBeGreaterThanOrEqual(15);
    expect(await bench.executor.offer(good())).toBe('accepted');
    await bench.idle();
    expect(bench.host.calls.length).toBe(before + 1);
  });
});
