import { describe, expect, it } from 'vitest';
import { type Lane, makeLanes } from './lanes.ts';

const lease = (allocationId: string): Lane => ({ kind: 'lease', allocationId });
const breath = () => new Promise((resolve) => setImmediate(resolve));

/** Work that notes when it begins and ends when it is told to. */
function makeWorks() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (name: string) => () =>
    new Promise<void>((resolve) => {
      begun.push(name);
      ends.set(name, resolve);
    });
  return { begun, work, end: (name: string) => ends.get(name)?.() };
}

describe('lanes', () => {
  it('keep the tasks of one allocation in their order, and let others pass', async () => {
    const lanes = makeLanes();
    const { begun, work, end } = makeWorks();
    const all = [
      lanes.enter(lease('a'), work('a1')),
      lanes.enter(lease('a'), work('a2')),
      lanes.enter(lease('b'), work('b1')),
    ];
    await breath();
    expect(begun).toEqual(['a1', 'b1']);
    end('a1');
    await breath();
    expect(begun).toEqual(['a1', 'b1', 'a2']);
    end('a2');
    end('b1');
    await Promise.all(all);
    expect(lanes.size).toBe(0);
  });

  it('give a task about the node the node for itself, and do not let it starve', async () => {
    const lanes = makeLanes();
    const { begun, work, end } = makeWorks();
    const all = [
      lanes.enter(lease('a'), work('before')),
      lanes.enter({ kind: 'node' }, work('node')),
      lanes.enter(lease('b'), work('behind')),
      lanes.enter({ kind: 'look' }, work('look')),
    ];
    await breath();
    expect(begun).toEqual(['before']);
    end('before');
    await breath();
    expect(begun).toEqual(['before', 'node']);
    end('node');
    await breath();
    expect(begun.slice(2).sort()).toEqual(['behind', 'look']);
    end('behind');
    end('look');
    await Promise.all(all);
  });

  it('go on when a work throws', async () => {
    const lanes = makeLanes();
    const thrown = lanes.enter(lease('a'), () => Promise.reject(new Error('ours')));
    const next = lanes.enter(lease('a'), async () => undefined);
    const node = lanes.enter({ kind: 'node' }, async () => undefined);
    await expect(thrown).rejects.toThrow('ours');
    await expect(Promise.all([next, node])).resolves.toEqual([undefined, undefined]);
    await lanes.empty();
    expect(lanes.size).toBe(0);
  });
});
