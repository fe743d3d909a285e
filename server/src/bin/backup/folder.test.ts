import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Objects } from '../../ports/objects/port.ts';
import { findDamage, keepObjects, type Manifest, returnObjects } from './folder.ts';

const sha256Of = (text: string) => createHash('sha256').update(text).digest('hex');
const describeObject = (key: string, text: string) => ({
  ...{ key, size: text.length, sha256: sha256Of(text), contentType: 'text/plain' },
});
/** A store that has one object, whatever its key is. */
const storeOf = (key: string, puts: string[] = []) =>
  ({
    list: async (_: string, { after }: { after?: string }) => (after === undefined ? [{ key }] : []),
    get: async () => ({ body: Readable.from([Buffer.from('text')]), facts: { contentType: 'text/plain' } }),
    facts: async () => undefined,
    async put(at: string, body: AsyncIterable<Buffer>) {
      for await (const _ of body);
      puts.push(at);
    },
  }) as unknown as Objects;

let around: string;
let folder: string;
beforeEach(async () => {
  around = await mkdtemp(join(tmpdir(), 'gpuaas-backup-'));
  folder = join(around, 'backup');
  await mkdir(folder);
  await writeFile(join(around, 'secret'), 'the keyring');
  await writeFile(join(folder, 'database.dump'), 'rows');
});
afterEach(() => rm(around, { recursive: true, force: true }));

const outside = ['../../secret', '../../../secret', 'a/../../../secret', '../database.dump', '', '.', 'x\0'];

describe('the objects of a backup', () => {
  it.each(outside)('lie in its folder: nothing is written for the key %j', async (key) => {
    await expect(keepObjects(storeOf(key), folder)).rejects.toThrow('is no object key');
    expect(await readdir(around)).toEqual(['backup', 'secret']);
    expect(await readFile(join(around, 'secret'), 'utf8')).toBe('the keyring');
    expect(await readFile(join(folder, 'database.dump'), 'utf8')).toBe('rows');
  });

  it.each(outside)('come from its folder: nothing is read for the key %j of a manifest', async (key) => {
    const puts: string[] = [];
    const kept = [describeObject(key, 'the keyring')];
    await expect(returnObjects(storeOf(key, puts), folder, kept)).rejects.toThrow('is no object key');
    expect(puts).toEqual([]);
    const dump = { size: 4, sha256: sha256Of('rows') };
    const manifest = { dump, objects: kept } as unknown as Manifest;
    expect(await findDamage(folder, manifest)).toEqual([`${key} is missing.`]);
  });

  it('are whole, or the backup is damaged', async () => {
    const kept = await keepObjects(storeOf('releases/1.0.0'), folder);
    const manifest = { dump: { size: 4, sha256: sha256Of('rows') }, objects: kept } as unknown as Manifest;
    expect(await findDamage(folder, manifest)).toEqual([]);
    await writeFile(join(folder, 'objects/releases/1.0.0'), 'tEXt');
    await writeFile(join(folder, 'database.dump'), 'rowS');
    expect(await findDamage(folder, manifest)).toEqual([
      'database.dump is not what was written.',
      'releases/1.0.0 is not what was written.',
    ]);
  });
});
