import { rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { entriesIn, hasEntry } from '../removal/entries.ts';

/** Removes a folder of the agent that holds files alone. What is not a file stays, and the removal fails. */
export async function removeFlat(folder: string): Promise<void> {
  for (const name of await entriesIn(folder)) await rm(join(folder, name), { force: true });
  if (await hasEntry(folder)) await rmdir(folder);
}
