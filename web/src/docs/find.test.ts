import { describe, expect, it } from 'vitest';
import { type Entry, find, markWords } from './find.ts';

const entries: Entry[] = [
  { u: '/docs/guides/launch', p: 'Launch GPUs', h: '', t: 'Choose, see the price, set limits.' },
  {
    u: '/docs/guides/launch#give-it-back',
    p: 'Launch GPUs',
    h: 'Give it back',
    t: 'gpuaas release trainer --yes --wait',
  },
  {
    u: '/docs/reference/errors#sku_unavailable',
    p: 'Errors',
    h: 'sku_unavailable',
    t: 'Nothing of this kind is free now.',
  },
  {
    u: '/docs/api/allocations#allocation_release',
    p: 'API: Allocations',
    h: 'POST /api/v1/allocations/{id}/release',
    t: 'Give it back. allocation_release',
  },
];
const addresses = (query: string) => find(entries, query).map(({ entry }) => entry.u);

describe('search', () => {
  it('finds a page by its title before a section that only mentions it', () => {
    expect(addresses('launch')[0]).toBe('/docs/guides/launch');
  });

  it('finds a code, a path and a command by a part of them', () => {
    expect(addresses('sku_un')).toEqual(['/docs/reference/errors#sku_unavailable']);
    expect(addresses('allocations release')[0]).toBe('/docs/api/allocations#allocation_release');
    expect(addresses('release trainer')).toEqual(['/docs/guides/launch#give-it-back']);
  });

  it('wants every word, and answers nothing to nothing', () => {
    expect(addresses('launch zebra')).toEqual([]);
    expect(addresses('  ')).toEqual([]);
    expect(addresses('***')).toEqual([]);
  });

  it('shows the words around a find, and which they are', () => {
    const [found] = find(entries, 'wait');
    expect(found?.excerpt).toBe('gpuaas release trainer --yes --wait');
    expect(markWords('Give it BACK', 'back (')).toEqual(['Give it ', 'BACK', '']);
    expect(markWords('a.b', '')).toEqual(['a.b']);
  });
});
