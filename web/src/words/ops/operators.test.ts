import { describe, expect, it } from 'vitest';
import { spellBytes, spellCondition } from '../sizes.ts';
import { laneOf, spellOffset, tellMoment } from '../story.ts';
import { groupLetters } from './letters.ts';
import { tellChange, tellVerdict } from './placement.ts';
import { profilesFor, readCounts } from './sku.ts';

describe('the story of a request', () => {
  const moment = { state: null, actor: null, took_ms: null } as const;
  it('is told in sentences, whoever acted', () => {
    const told = [
      { ...moment, source: 'audit', name: 'allocation.create', state: 'success', actor: 'user 0196' },
      {
        ...moment,
        source: 'audit',
        name: 'saga.allocation.provision.machine',
        actor: 'system saga:allocation.provision',
      },
      {
        ...moment,
        source: 'audit',
        name: 'allocation.begin_provisioning',
        actor: 'system provisioning-worker',
        state: 'failure',
      },
      { ...moment, source: 'event', name: 'provisioning.requested' },
      { ...moment, source: 'event', name: 'some.other' },
      { ...moment, source: 'task', name: 'slice.vm_provision', state: 'succeeded', took_ms: 5 },
      { ...moment, source: 'allocation', name: 'phase image' },
      { ...moment, source: 'allocation', name: 'provisioning to active', state: 'active' },
      { ...moment, source: 'dead_letter', name: 'x.y', state: 'open' },
    ] as const;
    expect(told.map((each) => tellMoment(each))).toEqual([
      'A person created an allocation.',
      'The workflow allocation.provision: the step machine.',
      'Provisioning-worker started to provision an allocation, which failed.',
      'GPUs were requested.',
      'An event was written.',
      'The host completed the task.',
      'Fetching the image.',
      'Active: the host has verified the GPUs.',
      'An event was not delivered.',
    ]);
    expect(told.map(laneOf)).toEqual(['api', 'saga', 'saga', 'outbox', 'outbox', 'node', 'object', 'object', 'outbox']);
  });
  it('says how long after the beginning, down to a millisecond', () => {
    expect([0, 12, 3_400, 125_000].map(spellOffset)).toEqual(['+0 ms', '+12 ms', '+3.4 s', '+2 m 05 s']);
  });
});

describe('dead letters', () => {
  const letter = { event_type: 'a.b', consumer: 'mail', organization_id: null, created_at: '2026-01-01T00:00:00Z' };
  it('are one group where only numbers and ids of the reason differ', () => {
    const groups = groupLetters([
      { ...letter, reason: 'port 25 refused', organization_id: 'o1' },
      { ...letter, reason: 'port 587 refused', organization_id: 'o2', created_at: '2026-01-02T00:00:00Z' },
      { ...letter, reason: 'no such person' },
    ]);
    expect(groups.map(({ letters, tenants }) => [letters.length, tenants])).toEqual([
      [2, 2],
      [1, 1],
    ]);
    expect(groups[0]).toMatchObject({ firstAt: '2026-01-01T00:00:00Z', lastAt: '2026-01-02T00:00:00Z' });
  });
});

describe('placement, for operators', () => {
  it('says of each host why not', () => {
    const host = { node_id: 'n', node_name: 'n', region: 'r' };
    expect(tellVerdict({ ...host, constraint: 'single_numa', need: 2, have: 1 })).toBe(
      'has enough free GPUs, but not in one NUMA group: needs 2, has 1',
    );
    expect(tellVerdict({ ...host, constraint: null })).toBe('fits');
    expect(tellVerdict({ ...host, constraint: null, launch_failed_at: '2026-11-15T11:59:50.000Z' })).toBe(
      'fits, but is used last: a launch failed on it recently',
    );
    expect(tellVerdict({ ...host, constraint: 'something_new' })).toBe('something new');
    expect(tellChange({ change: 'fewer_gpus', gpus: 1 })).toBe('1 GPU available now');
  });
});

describe('sizes', () => {
  it('are said in steps of a thousand for bytes', () => {
    expect([0, 999, 1_500, 16_000_000, 2e12].map(spellBytes)).toEqual(['0 B', '999 B', '1.5 kB', '16 MB', '2.0 TB']);
  });
  it('are read from a list that somebody types', () => {
    expect(readCounts('8, 1,2 , 2')).toEqual([1, 2, 8]);
    expect(readCounts('1, two')).toBeUndefined();
    expect(readCounts('')).toBeUndefined();
    expect(profilesFor([2], { vcpus: 16, memoryMib: 100 })).toEqual([
      { name: 'gpu_2', gpus: 2, vcpus: 32, memory_mib: 200 },
    ]);
  });
  it('of conditions become words', () => {
    expect(spellCondition('DriverReady')).toBe('Driver ready');
    expect(spellCondition('GpusHealthy')).toBe('GPUs healthy');
  });
});
