import { Check } from 'typebox/value';
import { describe, expect, it } from 'vitest';
import { policies } from '../policies.ts';
import type { Route } from '../route.ts';
import { routes } from '../routes/index.ts';
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

  it('that waits for a person is in a list that the contract has, by a filter that the list takes', () => {
    const lists = new Map<string, Route>(routes.map((route) => [route.id, route]));
    for (const table of Object.values(tables)) {
      for (const wait of Object.values(table)) {
        if (wait.until !== 'person') continue;
        const route = lists.get(wait.queue.route);
        expect(route?.method, wait.queue.route).toBe('GET');
        const query = route && 'query' in route ? route.query : undefined;
        if (Object.keys(wait.queue.filter).length > 0) {
          expect(query && Check(query, wait.queue.filter), JSON.stringify(wait.queue)).toBe(true);
        }
      }
    }
  });

  it('that leads to a state which nothing ends is found, and so is a transition that is not there', () => {
    const machine = {
      ...{ name: 'canary', initial: 'a', terminal: ['end'] },
      states: { a: { go: 'b' }, b: { stop: 'end' }, end: {} },
    };
    const step = (then: string): Wait => ({
      ...{ until: 'deadline', policy: 'node.task_ttl_seconds', then, reason: 'audit_logs.change' },
    });
    expect(findStuck(machine, { a: step('go') })).toEqual([
      'canary.a: leads to b, which nothing ends',
      'canary.b: nothing ends it',
    ]);
    expect(findStuck({ ...machine, states: { ...machine.states, b: {} } }, { a: step('go'), b: step('x') })).toEqual([
      'canary.a: has no transition x',
      'canary.b: has no transition x',
    ]);
  });

  it('does not end because a host is silent, unless an operator has asked for that', () => {
    expect(policies.find(({ key }) => key === 'allocation.node_lost_seconds')?.default).toBe(0);
  });

  it('is seen when it does not: a canary of each kind is reported', () => {
    const machine = {
      ...{ name: 'canary', initial: 'a', terminal: ['end'] },
      states: { a: { go: 'b' }, b: { back: 'a', stop: 'end' }, c: { stop: 'end' }, d: { stop: 'end' }, end: {} },
    };
    const until = (then: string): Wait => ({
      ...{ until: 'deadline', policy: 'node.task_ttl_seconds', then, reason: 'audit_logs.change' },
    });
    const nameless: Wait = { until: 'person', queue: { route: '', filter: {} } };
    expect(findStuck(machine, { a: until('go'), b: until('back'), d: nameless })).toEqual([
      'canary.a: goes round by itself: a, b, a',
      'canary.b: goes round by itself: b, a, b',
      'canary.c: nothing ends it',
      'canary.d: its queue has no name',
    ]);
    expect(findStuck(machine, { a: until('no'), b: until('stop'), c: until('stop'), d: until('stop') })).toEqual([
      'canary.a: has no transition no',
    ]);
  });
});
