import { createHash } from 'node:crypto';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

/**
 * Builds a folder from its sources, once. A stamp beside the result names the sources, so a start with the same sources
 * does nothing. The build happens beside the result and is then renamed into place, so a reader never sees half of it.
 */
export interface Plan {
  readonly root: string;
  readonly result: string;
  /** Everything that the result depends on: files and folders, relative to the root. Tests are no part of it. */
  readonly sources: readonly string[];
  make(draft: string): Promise<void>;
}

export async function buildOnce({ root, result, sources, make }: Plan): Promise<'built' | 'unchanged'> {
  const made = await digestOf(root, sources);
  const readStamp = () => readFile(join(result, '.stamp'), 'utf8').catch(() => '');
  if ((await readStamp()) === made) return 'unchanged';
  const draft = join(root, '.cache', `build-${process.pid}`);
  await make(draft);
  await writeFile(join(draft, '.stamp'), made);
  // Two builds of the same sources may run at the same time: the second finds the result.
  if ((await readStamp()) !== made) {
    await rm(result, { recursive: true, force: true });
    try {
      await rename(draft, result);
      return 'built';
    } catch (error) {
      if ((await readStamp()) !== made) throw error;
    }
  }
  await rm(draft, { recursive: true, force: true });
  return 'built';
}

/** A digest of every source by name and content. */
async function digestOf(root: string, sources: readonly string[]): Promise<string> {
  const digest = createHash('sha256');
  for (const source of sources) {
    const paths = await filesAt(join(root, source));
    for (const path of paths.filter((name) => !name.endsWith('.test.ts')).sort()) {
      digest
        .update(`${relative(root, path)}\0`)
        .update(await readFile(path))
        .update('\0');
    }
  }
  return digest.digest('hex');
}

async function filesAt(path: string): Promise<string[]> {
  try {
    const entries = await readdir(path, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  } catch {
    return [path];
  }
}
