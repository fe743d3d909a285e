import { createHash } from 'node:crypto';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import tailwind from '@tailwindcss/vite';
import { build } from 'vite';

/**
 * Makes `dist` from `src`. A stamp beside the result says which sources it was made of, so that a start which finds the
 * same sources has nothing to do. No network, no configuration file: everything that decides about the build is here.
 */
const here = import.meta.dirname;
const dist = join(here, 'dist');
/** Built beside the result and then put in its place, so that nobody ever reads half of it. */
const draft = join(here, '.cache', `build-${process.pid}`);
/** Everything that the result depends on. The SDK and the lockfile belong to it: they end up in the bundle. */
const sources = ['src', 'public', 'index.html', 'build.ts', '../sdk/typescript/src', '../package-lock.json'];

/** A digest of every source by name and content; tests are not part of the result. */
async function digestSources(): Promise<string> {
  const digest = createHash('sha256');
  for (const source of sources) {
    const paths = await filesAt(join(here, source));
    for (const path of paths.filter((name) => !name.endsWith('.test.ts')).sort()) {
      digest
        .update(`${relative(here, path)}\0`)
        .update(await readFile(path))
        .update('\0');
    }
  }
  return digest.digest('hex');
}

const readStamp = () => readFile(join(dist, '.stamp'), 'utf8').catch(() => '');

/** Two builds of the same sources may come here together: the second finds the work done. */
async function putInPlace(): Promise<void> {
  if ((await readStamp()) === made) {
    await rm(draft, { recursive: true, force: true });
    return;
  }
  await rm(dist, { recursive: true, force: true });
  try {
    await rename(draft, dist);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if ((await readStamp()) !== made) throw error;
  }
}

async function filesAt(path: string): Promise<string[]> {
  try {
    const entries = await readdir(path, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  } catch {
    return [path];
  }
}

// Whoever calls: React is built as it is shipped, also from within a test.
// biome-ignore lint/style/noProcessEnv: Vite reads it from there
process.env['NODE_ENV'] = 'production';
const made = await digestSources();
const known = await readStamp();
if (known === made) {
  process.stdout.write('unchanged\n');
} else {
  await build({
    root: here,
    configFile: false,
    logLevel: 'error',
    plugins: [tailwind()],
    build: {
      outDir: draft,
      emptyOutDir: true,
      // Whatever is named by its content may be kept for ever; nothing is written into the page itself.
      assetsInlineLimit: 0,
      target: 'es2023',
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      manifest: true,
    },
  });
  await writeFile(join(draft, '.stamp'), made);
  await putInPlace();
  process.stdout.write('built\n');
}
