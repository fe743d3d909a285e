import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Which parts of the demo history were written into this data folder. A part that is marked is never written again,
 * however many allocations came later and whatever became of those that it made.
 */
export async function openDemoMarks(dataDir: string) {
  const path = join(dataDir, 'demo-history.txt');
  const text = await readFile(path, 'utf8').catch(() => '');
  const done = new Set(text.split('\n').filter((line) => line !== ''));
  return {
    async once(part: string, write: () => Promise<void>): Promise<void> {
      if (done.has(part)) return;
      await write();
      done.add(part);
      await writeFile(path, `${[...done].join('\n')}\n`);
    },
  };
}
