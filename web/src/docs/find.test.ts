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

  it('puts titles and headings before texts, however often a text has the word', () => {
    const often = 'quota '.repeat(40);
    const some: Entry[] = [
      { u: '/text', p: 'Billing', h: 'Invoices', t: often },
      { u: '/part', p: 'Placement', h: 'Asking for a quota', t: 'Ask.' },
      { u: '/title', p: 'Quotas', h: '', t: 'How many GPUs.' },
      { u: '/exact', p: 'Glossary', h: 'Quota', t: 'A bound.' },
      { u: '/below', p: 'Quotas', h: 'Raise one', t: 'Set a policy.' },
    ];
    expect(find(some, 'quota').map(({ entry }) => entry.u)).toEqual(['/exact', '/title', '/part', '/below', '/text']);
  });

  it('finds an error code by its exact name first, also without its underscores, and by its beginning', () => {
    const codes: Entry[] = [
      { u: '/guide', p: 'When a launch fails', h: '', t: 'sku_unavailable: wait. sku_unavailable again.' },
      { u: '/longer', p: 'Errors', h: 'sku_unavailable_here', t: 'x' },
      { u: '/code', p: 'Errors', h: 'sku_unavailable', t: 'No capacity.' },
    ];
    for (const query of ['sku_unavailable', 'SKU unavailable', 'sku_unav']) {
      expect([query, find(codes, query)[0]?.entry.u]).toEqual([query, '/code']);
    }
  });

  it('finds a command as it is typed, with its options', () => {
    const commands: Entry[] = [
      { u: '/story', p: 'Keys', h: '', t: 'Add a key to gpuaas. Then launch.' },
      { u: '/command', p: 'Command line', h: 'gpuaas key add', t: '--name NAME' },
      { u: '/other', p: 'Command line', h: 'gpuaas key list', t: 'Your keys. gpuaas key add adds one.' },
    ];
    expect(find(commands, 'gpuaas key add')[0]?.entry.u).toBe('/command');
    expect(find(commands, 'key add --name')[0]?.entry.u).toBe('/command');
    expect(find(commands, 'gpuaas key')[0]?.entry.u).not.toBe('/story');
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
