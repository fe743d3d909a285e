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
  let order: string | undefined;
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
    calledOff: async () => order,
    stuck: async (_, reason) => void notes.push(`stuck: ${reason}`),
  };
  const callOff = (reason: string) => {
    order = reason;
  };
  return { engine, notes, callOff };
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

  it('stops at an undo that gives up, names both reasons, and goes on once that is tried again', async () => {
    const stop: Tried = { end: 'halt', reason: 'stop' };
    const { engine, notes } = scripted({ 'do c': [stop], 'undo b': [failed, failed, failed] });
    const ending = await interpret(plan(step('a'), step('b'), step('c')), engine);
    expect(ending).toEqual({ state: 'undone', step: 'c', reason: 'stop' });
    const stuck = notes.indexOf('stuck: the undo of b gave up: no; it was undone because c failed: stop');
    expect(notes.slice(stuck + 1)).toEqual(['undo b {"a":1,"b":1}', 'at a', 'undo a {"a":1,"b":1}']);
  });

  it('undoes what was done when it is called off between two steps, or in a pause, but not while it undoes', async () => {
    const between = scripted({});
    const first = between.engine.attempt;
    between.engine.attempt = (...given) => {
      between.callOff('not wanted');
      return first(...given);
    };
    expect(await interpret(plan(step('a'), step('b')), between.engine)).toEqual({
      ...{ state: 'cancelled', step: 'b', reason: 'not wanted' },
    });
    expect(between.notes).toEqual(['at a', 'do a {}', 'at a', 'undo a {"a":1}']);

    const pausing = scripted({ 'do b': [failed] });
    pausing.engine.sleep = async () => pausing.callOff('not wanted');
    expect(await interpret(plan(step('a'), step('b')), pausing.engine)).toMatchObject({
      state: 'cancelled',
      step: 'b',
    });
    expect(pausing.notes).toEqual(['at a', 'do a {}', 'at b', 'do b {"a":1}', 'at a', 'undo a {"a":1}']);

    const undoing = scripted({ 'do b': [{ end: 'halt', reason: 'stop' }], 'undo a': [failed] });
    undoing.engine.sleep = async () => undoing.callOff('too late');
    expect(await interpret(plan(step('a'), step('b')), undoing.engine)).toMatchObject({ state: 'undone' });
    expect(undoing.notes.filter((note) => note.startsWith('undo a'))).toHaveLength(2);
  });

  it('gives a wait up that is called off, without an undo of what was never there', async () => {
    const { engine, notes, callOff } = scripted({});
    engine.answer = async () => {
      callOff('not wanted');
      return { end: 'late' };
    };
    const ending = await interpret(plan(step('a'), step('w', { kind: 'wait', timeoutMs: 5 })), engine);
    expect(ending).toEqual({ state: 'cancelled', step: 'w', reason: 'not wanted' });
    expect(notes).toEqual(['at a', 'do a {}', 'at w', 'ask w {"a":1}', 'at a', 'undo a {"a":1}']);
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
