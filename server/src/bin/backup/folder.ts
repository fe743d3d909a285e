import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Dumped } from '../../ports/database/backup/dump.ts';
import { checkKey } from '../../ports/objects/limits.ts';
import type { Objects } from '../../ports/objects/port.ts';

export interface KeptObject {
  readonly key: string;
  readonly size: number;
  readonly sha256: string;
  readonly contentType: string;
}
/** What lies beside the dump and the objects, and says what they are. */
export interface Manifest {
  readonly format: 1;
  readonly id: string;
  readonly version: string;
  readonly commit: string | null;
  readonly takenAt: string;
  readonly serverVersion: string;
  readonly migration: Dumped['migration'];
  readonly figures: Dumped['figures'];
  readonly dump: { readonly size: number; readonly sha256: string };
  readonly objects: readonly KeptObject[];
}

export const dumpIn = (folder: string): string => join(folder, 'database.dump');
const manifestIn = (folder: string): string => join(folder, 'manifest.json');
/**
 * Keys come from a store or a manifest, which others may have written. One that leads out of the folder would make a backup write, or a
 * restore read, any file of the operator.
 */
function objectIn(folder: string, key: string): string {
  checkKey(key);
  return join(folder, 'objects', key);
}
/** Objects of one page; a store gives no more. */
const pageLimit = 1_000;

export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  await writeFile(manifestIn(folder), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
}

export async function readManifest(folder: string): Promise<Manifest> {
  const text = await readFile(manifestIn(folder), 'utf8').catch(() => {
    throw new Error(`${folder} has no manifest.json: it is no backup, or one that broke off.`);
  });
  const manifest = JSON.parse(text) as Manifest;
  if (manifest.format !== 1) {
    throw new Error(
      `${folder} was made in another format (${manifest.format}). Restore it with the release that made it.`,
    );
  }
  return manifest;
}

export async function digestOf(file: string): Promise<{ readonly size: number; readonly sha256: string }> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return { size: (await stat(file)).size, sha256: hash.digest('hex') };
}

/** Copies every object. One that is replaced meanwhile is kept as it is then; one that goes meanwhile is left out. */
export async function keepObjects(objects: Objects, folder: string): Promise<readonly KeptObject[]> {
  const kept: KeptObject[] = [];
  for (let after: string | undefined; ; ) {
    const page = await objects.list('', { limit: pageLimit, ...(after !== undefined && { after }) });
    for (const { key } of page) {
      const found = await objects.get(key);
      if (!found) continue;
      const file = objectIn(folder, key);
      await mkdir(dirname(file), { recursive: true });
      await pipeline(found.body, createWriteStream(file, { mode: 0o600 }));
      kept.push({ key, ...(await digestOf(file)), contentType: found.facts.contentType });
    }
    after = page.at(-1)?.key;
    if (page.length < pageLimit) return kept;
  }
}

/** Puts back what the store does not have; what it has under the same digest stays as it is. */
export async function returnObjects(objects: Objects, folder: string, kept: readonly KeptObject[]): Promise<number> {
  let count = 0;
  for (const { key, sha256, contentType } of kept) {
    if ((await objects.facts(key))?.sha256 === sha256) continue;
    await objects.put(key, createReadStream(objectIn(folder, key)), { contentType });
    count += 1;
  }
  return count;
}

/** What of a backup is damaged or missing, in sentences. */
export async function findDamage(folder: string, manifest: Manifest): Promise<readonly string[]> {
  const wanted = [
    { name: 'database.dump', fileOf: () => dumpIn(folder), ...manifest.dump },
    ...manifest.objects.map((each) => ({ ...each, name: each.key, fileOf: () => objectIn(folder, each.key) })),
  ];
  const damage: string[] = [];
  for (const { name, fileOf, size, sha256 } of wanted) {
    const found = await (async () => digestOf(fileOf()))().catch(() => undefined);
    if (!found) damage.push(`${name} is missing.`);
    else if (found.size !== size || found.sha256 !== sha256) damage.push(`${name} is not what was written.`);
  }
  return damage;
}
