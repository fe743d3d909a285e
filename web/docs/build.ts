import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { build } from 'vite';
import { buildOnce } from '../build-once.ts';
import type { ApiDescription } from './api-pages.ts';
import { makeSite } from './site.ts';
import { readSources } from './sources.ts';

/**
 * Makes `dist-docs`, what is served at /docs, from the Markdown of the repository and the description of the API. Its
 * script and its style are one small file each, named by their content.
 */
const web = join(import.meta.dirname, '..');
const root = join(web, '..');
/** One script that runs before the page is painted, so that a dark theme does not flash white. */
async function bundle(draft: string): Promise<{ script: string; style: string }> {
  await build({
    root: web,
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    base: '/docs/',
    build: {
      outDir: draft,
      emptyOutDir: true,
      assetsInlineLimit: 0,
      target: 'es2023',
      modulePreload: false,
      reportCompressedSize: false,
      cssCodeSplit: false,
      rollupOptions: { input: join(web, 'src/docs/main.ts'), output: { format: 'iife' } },
    },
  });
  const names = await readdir(join(draft, 'assets'));
  const find = (ending: string) => `/docs/assets/${names.find((name) => name.endsWith(ending))}`;
  return { script: find('.js'), style: find('.css') };
}

// biome-ignore lint/style/noProcessEnv: Vite reads it from there
process.env['NODE_ENV'] = 'production';
const outcome = await buildOnce({
  root: web,
  result: join(web, 'dist-docs'),
  sources: [
    ...['docs', 'src/docs', 'src/words', 'src/colours.css', 'src/shell/preferences.ts', 'public', 'build-once.ts'],
    ...['../docs', '../api/openapi.json', '../api/machines', '../tools/lib/document.ts', '../package-lock.json'],
    ...['../sdk/typescript/src/generated', '../server/src/edge/oidc/html.ts', '../server/src/kernel/html.ts'],
    ...(await readSources(root)).map(({ path }) => join('..', path)),
  ],
  make: async (draft) => {
    const assets = await bundle(draft);
    const api = JSON.parse(await readFile(join(root, 'api/openapi.json'), 'utf8')) as ApiDescription;
    const { files, dead } = makeSite(await readSources(root), api, assets);
    if (dead.length > 0) throw new Error(`Links lead nowhere:\n${dead.join('\n')}`);
    await copyFile(join(web, 'public/mark.svg'), join(draft, 'assets/mark.svg'));
    for (const [name, text] of files) {
      const path = join(draft, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text);
    }
  },
});
process.stdout.write(`${outcome}\n`);
