import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isWrite, routes } from '@gpuaas/contract';
import { describe, expect, it } from 'vitest';
import { listLines, root } from '../lib/tree.ts';
import { readCanaries } from './canary.ts';
import { fallen, historyOf, readCounts, risen } from './ratchet.ts';

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const folder = 'tools/laws/exceptions';
const lists = readdirSync(join(root, folder))
  .filter((name) => name !== 'counts.txt')
  .map((name) => name.replace(/\.txt$/, ''));
const counts = readCounts(read(`${folder}/counts.txt`));
const floors = readCounts(read('tools/laws/floors.txt'));

describe('lists of exceptions', () => {
  it.each(lists)('%s has exactly as many lines as counts.txt says', (name) => {
    expect(listLines(read(`${folder}/${name}.txt`)).length).toBe(counts.get(name));
  });

  it('only shrink', () => {
    expect(risen(counts, historyOf(`${folder}/counts.txt`).map(readCounts))).toEqual([]);
  });

  it('may not grow back: a risen count is reported by name', () => {
    expect(risen(new Map([['a', 2]]), [new Map([['a', 1]]), new Map([['a', 3]])])).toEqual(['a has grown from 1 to 2']);
    expect(risen(new Map([['a', 1]]), [new Map([['a', 1]])])).toEqual([]);
    expect(risen(new Map([['new', 5]]), [new Map([['a', 1]])])).toEqual([]);
  });

  it('name exactly the write routes that take no idempotency key', () => {
    const natural = routes.filter((route) => isWrite(route) && route.idempotency !== 'key').map((route) => route.id);
    expect([...natural].sort()).toEqual(listLines(read(`${folder}/natural-idempotency.txt`)).sort());
  });
});

describe('facts of domains', () => {
  it('are counted: a new one is a line of this file, and a question whether it is a policy', () => {
    const domains = readdirSync(join(root, 'server/src/domains')).filter((domain) =>
      existsSync(join(root, 'server/src/domains', domain, 'facts.ts')),
    );
    const found = domains.map((domain) => {
      const constants = read(`server/src/domains/${domain}/facts.ts`).match(/^export const /gm) ?? [];
      return [domain, constants.length] as const;
    });
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(readCounts(read('tools/laws/facts.txt'))));
  });
});

describe('floors', () => {
  it('only grow', () => {
    expect(fallen(floors, historyOf('tools/laws/floors.txt').map(readCounts))).toEqual([]);
  });

  it('may not sink: a fallen number is reported by name, also when it is gone', () => {
    expect(fallen(new Map([['a', 2]]), [new Map([['a', 3]])])).toEqual(['a has fallen from 3 to 2']);
    expect(fallen(new Map(), [new Map([['a', 3]])])).toEqual(['a has fallen from 3 to 0']);
    expect(fallen(new Map([['a', 4]]), [new Map([['a', 3]])])).toEqual([]);
  });

  it('as many mistakes are refused by the compiler as were ever promised', () => {
    const cases = read('server/src/kernel/refused.ts').match(/^\s*\/\/ @ts-expect-error \S.*$/gm) ?? [];
    expect(cases.length).toBeGreaterThanOrEqual(floors.get('refused-cases') ?? Number.POSITIVE_INFINITY);
  });

  it('as many rules have a canary as were ever promised', () => {
    expect(readCanaries().length).toBeGreaterThanOrEqual(floors.get('canaries') ?? Number.POSITIVE_INFINITY);
  });
});
