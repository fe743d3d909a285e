import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const web = join(import.meta.dirname, '../../../../web');
const withinMs = 120_000;

/**
 * Builds the console, or the docs, when their sources have changed since the last time. They are built by a process of
 * its own, which has the tools in it and gives their memory back. A build that fails stops nobody: the API works without
 * pages, and pages of an earlier build are better than none.
 */
const builds = {
  console: { program: join(web, 'build.ts'), folder: join(web, 'dist') },
  docs: { program: join(web, 'docs/build.ts'), folder: join(web, 'dist-docs') },
} as const;

export async function buildPages(
  which: keyof typeof builds,
): Promise<{ readonly folder: string | undefined; readonly says: string }> {
  const { program, folder } = builds[which];
  const { code, out } = await run(program);
  const isThere = existsSync(join(folder, 'index.html'));
  if (code === 0) return { folder, says: out.endsWith('unchanged') ? 'unchanged since the last start' : 'built' };
  const [why = 'it says nothing'] = out.split('\n').filter((line) => line.trim() !== '');
  return isThere
    ? { folder, says: `could not be built, so earlier ones are shown: ${why}` }
    : { folder: undefined, says: `could not be built, so there are none: ${why}` };
}

function run(program: string): Promise<{ readonly code: number | null; readonly out: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '';
    const hear = (chunk: Buffer) => {
      out = (out + chunk.toString()).slice(-10_000);
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    const limit = setTimeout(() => child.kill('SIGKILL'), withinMs);
    const end = (code: number | null) => {
      clearTimeout(limit);
      resolve({ code, out: out.trim() });
    };
    child.on('close', end);
    child.on('error', (error) => {
      out += error.message;
      end(null);
    });
  });
}
