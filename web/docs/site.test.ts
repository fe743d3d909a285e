import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Entry } from '../src/docs/find.ts';
import type { ApiDescription } from './api-pages.ts';
import { addressOf, makeBook } from './book.ts';
import { makeSite } from './site.ts';
import { readSources } from './sources.ts';

const api: ApiDescription = {
  info: { description: '', version: '1.2.3' },
  paths: {},
  components: { schemas: {}, parameters: {}, responses: {} },
  'x-gpuaas-errors': {},
  'x-gpuaas-scopes': {},
  'x-gpuaas-lanes': {},
};
const tree = (files: Readonly<Record<string, string>>) => Object.entries(files).map(([path, text]) => ({ path, text }));
const small = {
  'docs/README.md':
    '# Docs\n\n## Learn\n\n- [First](tutorials/first.md): begin.\n- [Second](guides/second.md)\n\n## Reference\n\n- [Errors](reference/errors.md)\n',
  'docs/tutorials/first.md':
    '---\nstatus: partial\ncapabilities: GAP-01, GAP-02\n---\n\n# First steps\n\nGo to [the end](../guides/second.md#the-end) and see [code](../../server/a.ts).\n\n```sh test\ngpuaas launch --yes # now\n```\n',
  'docs/guides/second.md':
    '# Second <b>\n\n## The end\n\nWords & <script>alert(1)</script> `a<b`.\n\n| a | b |\n|---|---|\n| 1 | x \\| y |\n',
  'docs/reference/errors.md': '# Errors\n\n### not_there\n\nGone.\n',
  'docs/runbooks/late.md': '# Late\n',
  'docs/forgotten.md': '# Forgotten\n',
  'server/src/a/README.md': '# Notes\n',
  'docs/picture.png': 'no page',
};
const make = (files: Readonly<Record<string, string>> = small) =>
  makeSite(tree(files), api, { script: '/docs/assets/a.js', style: '/docs/assets/a.css' });
const page = (name: string, files?: Readonly<Record<string, string>>): string => make(files).files.get(name) ?? '';

describe('the site of this repository', () => {
  it('has no link that leads nowhere', async () => {
    const sources = await readSources(join(import.meta.dirname, '../..'));
    const site = makeSite(sources, api, { script: '/docs/assets/a.js', style: '/docs/assets/a.css' });
    expect(site.files.size).toBeGreaterThan(100);
    expect(site.dead).toEqual([]);
  });
});

describe('the site', () => {
  it('has a page and its Markdown for every page of the tree, and nothing for other files', () => {
    const names = [...make().files.keys()];
    for (const name of [
      'index.html',
      'index.md',
      'tutorials/first.html',
      'runbooks/late.md',
      'tree/server/src/a.html',
    ]) {
      expect(names).toContain(name);
    }
    expect(names.filter((name) => name.includes('picture'))).toEqual([]);
  });

  it('is ordered by its index; what the index forgot is found by its folder', () => {
    const { sections, loose } = makeBook(tree(small));
    expect(sections.map(({ name, leaves }) => [name, leaves.map(({ label }) => label)])).toEqual([
      ['Docs', ['Overview']],
      ['Learn', ['First', 'Second']],
      ['Reference', ['Errors']],
      ['Runbooks', ['Late']],
      ['More', ['Forgotten']],
    ]);
    expect(loose.map(({ url }) => url)).toEqual(['/docs/tree/server/src/a']);
  });

  it.each([
    ['docs/README.md', '/docs'],
    ['docs/runbooks/README.md', '/docs/runbooks'],
    ['docs/guides/launch.md', '/docs/guides/launch'],
    ['api/machines/node.md', '/docs/machines/node'],
    ['STYLE.md', '/docs/project/style'],
    ['README.md', '/docs/project/readme'],
    ['agent/README.md', '/docs/tree/agent'],
  ])('shows %s at %s', (path, url) => expect(addressOf(path)).toBe(url));

  it('turns links between files into links between pages, and names files that are no pages', () => {
    const first = page('tutorials/first.html');
    expect(first).toContain('<a href="/docs/guides/second#the-end">the end</a>');
    expect(first).toContain('<span class="file" title="server/a.ts">code</span>');
  });

  it('leads from each page to the one before and the one after', () => {
    const second = page('guides/second.html');
    expect(second).toContain('rel="prev" class="prev" href="/docs/tutorials/first"');
    expect(second).toContain('rel="next" class="next" href="/docs/reference/errors"');
  });

  it('says how far a page is built, and that a test types it', () => {
    const first = page('tutorials/first.html');
    expect(first).toContain('<span class="chip partial">partial</span>');
    expect(first).toContain('<code>GAP-02</code>');
    expect(first).toContain('<span class="chip typed">tested</span>');
    expect(page('guides/second.html')).not.toContain('class="chip');
  });

  it('shows what looks like markup as it was written', () => {
    const second = page('guides/second.html');
    expect(second).not.toContain('<script>alert');
    expect(second).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(second).toContain('<code>a&lt;b</code>');
    expect(second).toContain('<td>x | y</td>');
  });

  it('has nothing in a page that a strict policy would refuse', () => {
    for (const [name, text] of make().files) {
      if (name.endsWith('.html'))
        expect(text, name).not.toMatch(/<script(?![^>]*\bsrc=)[^>]*>|<style|\son[a-z]+=|\sstyle=|https?:\/\//);
    }
  });

  it('reports links to pages or headings that are not there', () => {
    const broken = { ...small, 'docs/guides/second.md': '# Second\n\n[up](../tutorials/first.md#nowhere)\n' };
    expect(make().dead).toEqual([]);
    expect(make(broken).dead).toEqual([
      'docs/tutorials/first.md: /docs/guides/second#the-end',
      'docs/guides/second.md: /docs/tutorials/first#nowhere',
    ]);
  });

  it('can be searched down to its headings', () => {
    const entries = JSON.parse(page('search.json')) as Entry[];
    expect(entries).toContainEqual({ u: '/docs/reference/errors#not_there', p: 'Errors', h: 'not_there', t: 'Gone.' });
    expect(entries.find(({ u }) => u === '/docs/guides/second#the-end')?.t).toContain('Words & <script>');
  });

  it('colours code without losing a letter', () => {
    const text = page('tutorials/first.html').match(/<code>(.*launch.*)\n?<\/code>/)?.[1] ?? '';
    expect(text).toContain('<span class="c-flag">--yes</span>');
    expect(text.replaceAll(/<[^>]+>/g, '')).toBe('gpuaas launch --yes # now');
  });
});
