import { checkManifest } from '@gpuaas/contract/apps';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { repository } from '../../lib/tree.ts';
import { stockSlugs } from './app-slugs.ts';

const tree = repository();

describe('the stock apps', () => {
  it('are there', () => {
    expect(stockSlugs(tree)).toEqual(expect.arrayContaining(['jupyterlab', 'ollama', 'vllm']));
  });

  it.each(stockSlugs(tree))('%s has a manifest as anybody could publish it, under its own slug', (slug) => {
    const checked = checkManifest(parse(tree.text(`apps/${slug}/app.yaml`)));
    expect(checked).toHaveProperty('manifest.metadata.slug', slug);
  });
});
