import {
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeTestClock } from '../../kernel/clock.ts';
import { objectsConformance } from './conformance.ts';
import { openFileObjects } from './files.ts';
import { openObjects } from './open.ts';
import type { Objects } from './port.ts';

const clock = makeTestClock(new Date('2026-03-04T05:06:07.089Z'));

objectsConformance('files', clock, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gpuaas-objects-'));
  const root = join(folder, 'root');
  const config = { kind: 'files', root } as const;
  return {
    config,
    open: () => openObjects(config, { clock }),
    breakDown: () => rename(root, join(folder, 'away')),
    recover: () => rename(join(folder, 'away'), root),
    close: () => rm(folder, { recursive: true, force: true }),
  };
});

describe('objects in files', () => {
  let folder: string;
  let root: string;
  let objects: Objects;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gpuaas-objects-'));
    root = join(folder, 'root');
    objects = await openFileObjects({ root, clock });
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('are not reached through links, in neither direction', async () => {
    await writeFile(join(folder, 'secret'), 'outside');
    await mkdir(join(folder, 'elsewhere'));
    await symlink(join(folder, 'secret'), join(root, 'file-link'));
    await symlink(join(folder, 'elsewhere'), join(root, 'folder-link'));
    await symlink('/etc', join(root, 'etc'));
    await expect(objects.get('file-link')).rejects.toThrow(/is a link/);
    await expect(objects.facts('file-link')).rejects.toThrow(/is a link/);
    await expect(objects.get('etc/passwd')).rejects.toThrow(/is a link/);
    await expect(objects.delete('etc/passwd')).rejects.toThrow(/is a link/);
    await expect(objects.list('etc/', { limit: 10 })).rejects.toThrow(/is a link/);
    await expect(objects.put('folder-link/new', Buffer.from('x'))).rejects.toThrow(/is a link/);
    expect(await readdir(join(folder, 'elsewhere'))).toEqual([]);
    expect(await objects.list('', { limit: 10 })).toEqual([]);
    await objects.put('file-link', Buffer.from('inside'));
    expect(await readFile(join(folder, 'secret'), 'utf8')).toBe('outside');
    expect((await lstat(join(root, 'file-link'))).isFile()).toBe(true);
  });

  it('refuse to be an object and a folder at once', async () => {
    await objects.put('a/b', Buffer.from('x'));
    await expect(objects.put('a', Buffer.from('x'))).rejects.toThrow(/a is the folder of other objects/);
    await expect(objects.put('a/b/c', Buffer.from('x'))).rejects.toThrow(/a\/b is an object/);
    await objects.delete('a/b');
    await objects.put('a', Buffer.from('x'));
    expect(await objects.facts('a')).toMatchObject({ size: 1 });
  });

  it('show their damage instead of half their bytes', async () => {
    await objects.put('object', Buffer.alloc(10_000, 'x'));
    await truncate(join(root, 'object'), 5_000);
    await expect(objects.get('object')).rejects.toThrow(/damaged/);
    await objects.put('headless', Buffer.alloc(10_000, 'x'));
    await writeFile(join(root, 'headless'), (await readFile(join(root, 'headless'))).subarray(100));
    await expect(objects.get('headless')).rejects.toThrow(/damaged/);
    await writeFile(join(root, 'foreign'), 'a file that nobody sealed');
    await expect(objects.facts('foreign')).rejects.toThrow(/not an object/);
    await writeFile(join(root, 'tiny'), '');
    await expect(objects.facts('tiny')).rejects.toThrow(/not an object/);
  });

  it('leave nothing in the folder for incoming ones, whether they arrive or not', async () => {
    await objects.put('object', Buffer.from('x'));
    const broken = Readable.from(
      (async function* () {
        yield 'a part';
        throw new Error('broke off');
      })(),
    );
    await expect(objects.put('object', broken)).rejects.toThrow('broke off');
    await objects.check();
    expect(await readdir(join(root, '.incoming'))).toEqual([]);
  });

  it('that a crash cut off are removed a day later, and not sooner', async () => {
    const incoming = join(root, '.incoming');
    await writeFile(join(incoming, 'old'), 'part');
    await writeFile(join(incoming, 'young'), 'part');
    const dayAgo = (await lstat(join(incoming, 'young'))).mtimeMs / 1000 - 24 * 60 * 60 - 60;
    await utimes(join(incoming, 'old'), dayAgo, dayAgo);
    await openFileObjects({ root, clock });
    expect(await readdir(incoming)).toEqual(['young']);
    expect(await objects.list('', { limit: 10 })).toEqual([]);
  });

  it('take the folders with them that they leave empty', async () => {
    await objects.put('a/b/c/one', Buffer.from('x'));
    await objects.put('a/two', Buffer.from('x'));
    await objects.delete('a/b/c/one');
    expect(await readdir(join(root, 'a'))).toEqual(['two']);
  });

  it('arrive in folders that are being tidied away at the same time', async () => {
    await Promise.all(
      ['one', 'two', 'three'].map(async (name) => {
        for (let round = 0; round < 30; round += 1) {
          const facts = await objects.put(`a/b/${name}`, Buffer.from(`${round}`));
          expect(await objects.facts(`a/b/${name}`)).toEqual(facts);
          await objects.delete(`a/b/${name}`);
        }
      }),
    );
    expect(await readdir(root)).toEqual(['.incoming']);
  });
});
