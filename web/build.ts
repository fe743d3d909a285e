import { join } from 'node:path';
import tailwind from '@tailwindcss/vite';
import { build } from 'vite';
import { buildOnce } from './build-once.ts';

/** Makes `dist` from `src`. No network, no configuration file: everything that decides about the build is here. */
const here = import.meta.dirname;
// React is built for production whatever NODE_ENV the caller has, also inside a test.
// biome-ignore lint/style/noProcessEnv: Vite reads it from there
process.env['NODE_ENV'] = 'production';

const outcome = await buildOnce({
  root: here,
  result: join(here, 'dist'),
  // The SDK and the lockfile count as sources: they end up in the bundle.
  sources: ['src', 'public', 'index.html', 'build.ts', '../sdk/typescript/src', '../package-lock.json'],
  make: async (draft) => {
    await build({
      root: here,
      configFile: false,
      logLevel: 'error',
      plugins: [tailwind()],
      build: {
        outDir: draft,
        emptyOutDir: true,
        // Files with a content hash in their name may be cached for ever. The page has no inline code.
        assetsInlineLimit: 0,
        target: 'es2023',
        modulePreload: { polyfill: false },
        reportCompressedSize: false,
        manifest: true,
      },
    });
  },
});
process.stdout.write(`${outcome}\n`);
