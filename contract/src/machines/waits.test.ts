import { describe, expect, it } from 'vitest';
import { policies } from '../policies.ts';
import { machines } from './index.ts';
import { findStuck, type Wait, waits } from './waits.ts';

const tables = waits as Readonly<Record<string, Readonly<Record<string, Wait>>>>;

describe('every state of every machine', () => {
  it.each(machines.map((machine) => [machine.name, machine] as const))(
    'reaches an end or a queue for people: %s',
    (name, machine) => {
      expect(findStuck(machine, tables[name] ?? {})).toEqual([]);
    },
  );

  it('that has a deadline has it from a policy with an upper bound', () => {
    const bounded = new Map<string, number>(
      policies.flatMap((policy) => (policy.type === 'integer' ? [[policy.key, policy.maximum] as const] : [])),
    );
    for (const table of Object.values(tables)) {
      for (const wait of Object.values(table)) {
        if (wait.until === 'deadline') expect(bounded.get(wait.policy), wait.policy).toBeGreaterThan(0);
      }
    }
  });

  it('is told why only what is no queue of people, and a way round over others is found', () => {
    const machine = {
      ...{ name: 'canary', initial: 'a', terminal: ['end'] },
      states: { a: { go: 'b' }, b: { stop: 'end' }, end: {} },
    };
    const step = (then: string, reason: `${string}.${string}`): Wait => ({
      ...{ until: 'deadline', policy: 'node.task_ttl_seconds', then, reason },
    });
    expect(findStuck(machine, { a: step('go', 'a.why') })).toEqual([
      'canary.a: leads to b, which nothing ends',
      'canary.b: nothing ends it',
    ]);
    expect(findStuck(machine, { a: step('go', ' . '), b: { until: 'person', queue: 'operators' } })).toEqual([
      'canary.a: the reason is stored nowhere',
    ]);
    expect(
      findStuck({ ...machine, states: { ...machine.states, b: {} } }, { a: step('go', 'a.why'), b: step('x', 'a.y') }),
    ).toEqual(['canary.a: has no transition x', 'canary.b: has no transition x']);
  });

  it('does not end because a host is silent, unless an operator has asked for that', () => {
    expect(policies.find(({ key }) => key === 'allocation.node_lost_seconds')?.default).toBe(0);
  });

  it('is seen when it does not: a canary of each kind is reported', () => {
    const machine = {
      ...{ name: 'canary', initial: 'a', terminal: ['end'] },
      states: { a: { go: 'b' }, b: { back: 'a', stop: 'end' }, c: { stop: 'end' }, d: { stop: 'end' }, end: {} },
    };
    const until = (then: string, reason: `${string}.${string}` = 'a.why'): Wait => ({
      ...{ until: 'deadline', policy: 'node.task_ttl_seconds', then, reason },
    });
    expect(findStuck(machine, { a: until('go'), b: until('back'), d: { until: 'person', queue: ' ' } })).toEqual([
      'canary.a: goes round by itself: a, b, a',
      'canary.b: goes round by itself: b, a, b',
      'canary.c: nothing ends it',
      'canary.d: its queue has no name',
    ]);
    expect(findStuck(machine, { a: until('no'), b: until('stop', '.'), c: until('stop'), d: until('stop') })).toEqual([
      'canary.a: has no transition no',
      'canary.b: the reason is stored nowhere',
    ]);
  });
});
