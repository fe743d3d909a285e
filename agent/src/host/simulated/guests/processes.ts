import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isRoot, marker } from './guest.ts';

/** What runs in the name of an allocation: by its user id, or by the mark in its environment where all share one. */
export async function processesOf(folder: string, allocationId: string): Promise<number[]> {
  const home = await stat(join(folder, allocationId, 'home')).catch(() => undefined);
  const uid = isRoot() && home && home.uid !== 0 ? home.uid : undefined;
  const found: number[] = [];
  for (const name of await readdir('/proc').catch(() => [])) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    const belongs =
      uid !== undefined
        ? await stat(`/proc/${pid}`).then(
            (entry) => entry.uid === uid,
            () => false,
          )
        : await readFile(`/proc/${pid}/environ`, 'utf8').then(
            (text) => text.split('\0').includes(`${marker}=${allocationId}`),
            () => false,
          );
    if (belongs && !(await isZombie(pid))) found.push(pid);
  }
  return found;
}

/** The user ids that anything on this computer runs with. */
export async function runningUids(): Promise<Set<number>> {
  const names = (await readdir('/proc').catch(() => [])).filter((name) => Number.isInteger(Number(name)));
  const owners = await Promise.all(names.map((name) => stat(join('/proc', name)).catch(() => undefined)));
  return new Set(owners.flatMap((owner) => (owner ? [owner.uid] : [])));
}

async function isZombie(pid: number): Promise<boolean> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The name in brackets may hold anything; the state comes after the last one.
  return text === '' || text.slice(text.lastIndexOf(')') + 2).startsWith('Z');
}
