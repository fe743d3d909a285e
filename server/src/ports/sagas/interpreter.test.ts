import { describe, expect, it } from 'vitest';
import { type Engine, interpret, type Plan, type PlannedStep, type Tried } from './interpreter.ts';

const step = (name: string, more: Partial<PlannedStep> = {}): PlannedStep => ({
  name,
  kind: 'step',
  undoes: true,
  attempts: 3,
  firstDelayMs: 100,
  maxDelayMs: 150,
  attemptMs: 1_000,
  ...more,
});
const plan = (...steps: PlannedStep[]): Plan => ({ saga: 'test', version: 1, steps });
const failed: Tried = { end: 'failed', reason: 'no' };

/** An engine that notes all it is asked and answers from a script; what is not in it succeeds. */
function scripted(script: Readonly<Record<string, readonly Tried[]>>, answer: 'late' | number = 'late') {
  const notes: string[] = [];
  const left = new Map(Object.entries(script).map(([key, tries]) => [key, [...tries]]));
  const engine: Engine = {
    at: async (name) => void notes.push(`at ${name}`),
    attempt: async (work, { name }, done) => {
      notes.push(`${work} ${name} ${JSON.stringify(done)}`);
      return left.get(`${work} ${name}`)?.shift() ?? { end: 'ok', out: name.length };
    },
    sleep: async (ms) => void notes.push(`sleep ${ms}`),
    answer: async () => (answer === 'late' ? { end: 'late' } : { end: 'answered', value: answer }),
    refuse: async ({ name }) => void notes.push(`refuse ${name}`),
  };
  return { engine, notes };
}

describe('the interpreter', () => {
  it('pauses longer after each failure, up to the limit, and not after the last', async () => {
    const { engine, notes } = scripted({ 'do a': [failed, failed, failed, failed] });
    const ending = await interpret(plan(step('a', { attempts: 4 })), engine);
    expect(ending).toEqual({ state: 'undone', step: 'a', reason: 'no' });
    expect(notes.filter((note) => note.startsWith('sleep'))).toEqual(['sleep 100', 'sleep 150', 'sleep 150']);
  });

  it('hands each step the results so far, and each undo all results', async () => {
    const { engine, notes } = scripted({ 'do ccc': [{ end: 'halt', reason: 'stop' }] });
    await interpret(plan(step('a'), step('bb', { undoes: false }), step('ccc')), engine);
    expect(notes).toEqual([
      'at a',
      'do a {}',
      'at bb',
      'do bb {"a":1}',
      'at ccc',
      'do ccc {"a":1,"bb":2}',
      'at a',
      'undo a {"a":1,"bb":2}',
    ]);
  });

  it('passes what is there for its undo alone, and takes it back when the next step already fails', async () => {
    const { engine, notes } = scripted({ 'do b': [{ end: 'halt', reason: 'stop' }] });
    const ending = await interpret(plan(step('a', { kind: 'failure' }), step('b')), engine);
    expect(ending).toEqual({ state: 'undone', step: 'b', reason: 'stop' });
    expect(notes).toEqual(['at b', 'do b {}', 'at a', 'undo a {}']);
  });

  it('stops at an undo that gives up, and names both reasons', async () => {
    const stop: Tried = { end: 'halt', reason: 'stop' };
    const { engine, notes } = scripted({ 'do c': [stop], 'undo b': [failed, failed, failed] });
    const ending = await interpret(plan(step('a'), step('b'), step('c')), engine);
    expect(ending).toMatchObject({ state: 'stuck', step: 'b' });
    expect(ending.reason).toBe('the undo of b gave up: no; it was undone because c failed: stop');
    expect(notes).not.toContainEqual(expect.stringMatching(/^undo a/));
  });

  it('closes a wait whose question could not be put', async () => {
    const { engine, notes } = scripted({ 'ask w': [failed, failed, failed] });
    const ending = await interpret(plan(step('w', { kind: 'wait', timeoutMs: 5 })), engine);
    expect(ending).toMatchObject({ state: 'undone', step: 'w', reason: 'no' });
    expect(notes.at(-1)).toBe('refuse w');
  });

  it('takes an answer as the result of its wait', async () => {
    const { engine, notes } = scripted({}, 7);
    const ending = await interpret(plan(step('w', { kind: 'wait', timeoutMs: 5 }), step('z')), engine);
    expect(ending).toEqual({ state: 'done', step: 'z', reason: undefined });
    expect(notes.at(-1)).toBe('do z {"w":7}');
  });
});
