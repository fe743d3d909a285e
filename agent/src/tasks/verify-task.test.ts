import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NodeTask } from '@gpuaas/contract/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeDisk } from '../disk.ts';
import { makeTestSigner } from '../testing/signer.ts';
import { openSigners, type Signers } from './signers.ts';
import { verifyTask } from './verify-task.ts';

const nodeId = '01890000-0000-7000-8000-000000000001';
const mine = makeTestSigner();
const now = new Date('2026-03-01T12:00:00.000Z');
const nowMs = now.getTime();
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

let folder: string;
let signers: Signers;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gpuaas-judge-'));
  signers = await openSigners({ disk: makeDisk({ forced: false }), path: join(folder, 'signers.json') });
  await signers.pin([mine.version()]);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const judge = (value: unknown) => verifyTask({ nodeId, signers, nowMs }, value);
const task = (issuedMs: number, expiresMs: number) =>
  mine.task({ nodeId, issuedAt: new Date(issuedMs), ttlMs: expiresMs - issuedMs });
const unsigned = (signed: NodeTask): Omit<NodeTask, 'signature'> => {
  const { signature: _, ...rest } = signed;
  return rest;
};

describe('the time of a task', () => {
  it.each([
    ['issued two minutes ahead of us', nowMs + 2 * minuteMs, nowMs + 5 * minuteMs, undefined],
    ['issued a millisecond more ahead', nowMs + 2 * minuteMs + 1, nowMs + 5 * minuteMs, 'not_yet_valid'],
    ['in its last millisecond', nowMs - minuteMs, nowMs + 1, undefined],
    ['at its end', nowMs - minuteMs, nowMs, 'task_expired'],
    ['that lives a day', nowMs, nowMs + dayMs, undefined],
    ['that lives a millisecond longer', nowMs, nowMs + dayMs + 1, 'lives_too_long'],
  ])('is judged to the millisecond: one %s', (_, issuedMs, expiresMs, refusal) => {
    const good = task(issuedMs, expiresMs);
    expect(judge(good)).toEqual(refusal === undefined ? { task: good } : { refusal });
  });

  it.each(['issued_at', 'expires_at'])('is a date: %s that is none is refused, though it was signed', (field) => {
    // A leap second has the form of a date and is none for this clock.
    const wrong = mine.sign({ ...unsigned(task(nowMs, nowMs + minuteMs)), [field]: '2026-12-31T23:59:60Z' });
    expect(judge(wrong)).toEqual({ refusal: 'malformed' });
  });
});

describe('what is no task', () => {
  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a word', 'task'],
    ['a list', []],
    ['an empty object', {}],
  ])('is malformed: %s', (_, value) => {
    expect(judge(value)).toEqual({ refusal: 'malformed' });
  });

  it.each(Object.keys(task(nowMs, nowMs + minuteMs)))('is malformed without %s', (field) => {
    const { [field as keyof NodeTask]: _, ...rest } = task(nowMs, nowMs + minuteMs);
    expect(judge(rest)).toEqual({ refusal: 'malformed' });
  });

  it('is malformed when its words have no canonical form', () => {
    expect(judge({ ...task(nowMs, nowMs + minuteMs), params: { half: '\ud800' } })).toEqual({ refusal: 'malformed' });
  });
});

describe('a task of ours that this agent cannot do', () => {
  it('is answered when its type is unknown, or its params are not as declared', () => {
    const unknown = mine.sign({ ...unsigned(task(nowMs, nowMs + minuteMs)), task_type: 'diag.nothing' as never });
    expect(judge(unknown)).toEqual({ refusal: 'unknown_type', answerable: unknown });
    for (const type of ['toString', 'constructor']) {
      const named = mine.sign({ ...unsigned(task(nowMs, nowMs + minuteMs)), task_type: type as never });
      expect(judge(named)).toMatchObject({ refusal: 'unknown_type' });
    }
    const bad = mine.task({ nodeId, issuedAt: now, type: 'node.drain', params: { deadline_at: 5 } });
    expect(judge(bad)).toEqual({ refusal: 'bad_params', answerable: bad });
    // The second of a kind is judged by the same check.
    expect(judge(bad)).toEqual({ refusal: 'bad_params', answerable: bad });
  });
});
