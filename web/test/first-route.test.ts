import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';

/** What a browser has to fetch before it shows the first page. */
const web = join(import.meta.dirname, '..');
const dist = join(web, 'dist');
const limitBytes = 150 * 1_024;

interface Chunk {
  readonly file: string;
  readonly imports?: readonly string[];
  readonly css?: readonly string[];
}

beforeAll(() => {
  const built = spawnSync(process.execPath, [join(web, 'build.ts')], { encoding: 'utf8', timeout: 110_000 });
  expect(built.stderr + built.stdout).toMatch(/built|unchanged/);
}, 120_000);

const readManifest = () =>
  JSON.parse(readFileSync(join(dist, '.vite', 'manifest.json'), 'utf8')) as Readonly<Record<string, Chunk>>;
/** A chunk and everything that it cannot run without. */
function filesOf(names: readonly string[]): string[] {
  const manifest = readManifest();
  const seen = new Set<string>();
  const visit = (name: string) => {
    const chunk = manifest[name];
    if (!chunk || seen.has(chunk.file)) return;
    seen.add(chunk.file);
    for (const each of chunk.imports ?? []) visit(each);
  };
  for (const name of names) visit(name);
  return [...seen];
}

describe('the built console', () => {
  it('sends at most 150 KB of compressed JavaScript for its first page', () => {
    const files = filesOf(['index.html', 'src/pages/home.tsx']);
    expect(files.length).toBeGreaterThan(1);
    const sizes = files.map((file) => gzipSync(readFileSync(join(dist, file))).length);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(limitBytes);
  });

  it('has no script and no style in the page itself, so that a strict policy leaves it whole', () => {
    const html = readFileSync(join(dist, 'index.html'), 'utf8');
    expect(html).toMatch(/<script type="module"[^>]* src="\/assets\/[^"]+\.js"><\/script>/);
    expect(html).not.toMatch(/<script(?![^>]*\bsrc=)[^>]*>|<style|\bon[a-z]+=|style=/);
  });

  it('is packed well by what servers send', () => {
    const [entry = ''] = filesOf(['index.html']);
    const plain = readFileSync(join(dist, entry));
    const packed = brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } });
    expect(packed.length).toBeLessThan(plain.length / 2);
  });

  it('is built once for the same sources', () => {
    expect(existsSync(join(dist, '.stamp'))).toBe(true);
    const again = spawnSync(process.execPath, [join(web, 'build.ts')], { encoding: 'utf8', timeout: 30_000 });
    expect(again.stdout.trim()).toBe('unchanged');
  }, 40_000);
});
