import { mkdir, mkdtemp, readdir, rename, rm, symlink, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemIds } from '../../kernel/id.ts';
import { storageConformance } from './conformance.ts';
import { openFileStorage } from './files.ts';
import { openStorage } from './open.ts';

storageConformance('files', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gpuaas-storage-'));
  const root = join(folder, 'root');
  const config = { kind: 'files', root } as const;
  return {
    config,
    open: () => openStorage(config),
    breakDown: async () => {
      await rename(root, join(folder, 'away'));
      await symlink('/nowhere', root);
    },
    recover: async () => {
      await rm(root);
      await rename(join(folder, 'away'), root);
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
});

describe('storage in files', () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'gpuaas-storage-'));
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  it('leads nowhere by links', async () => {
    const storage = await openFileStorage({ root });
    const blob = { projectId: systemIds.next(), blobId: systemIds.next() };
    await mkdir(join(root, blob.projectId));
    await symlink('/etc', join(root, blob.projectId, blob.blobId));
    const part = {
      number: 1,
      sizeBytes: 0,
      sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    };
    const none = (async function* () {})();
    await expect(storage.putPart({ ...blob, handle: 'files' }, part, none)).rejects.toThrow(/is a link/);
  });

  it('breaks a download off when a file was cut behind its back', async () => {
    const storage = await openFileStorage({ root });
    const blob = { projectId: systemIds.next(), blobId: systemIds.next() };
    const upload = { ...blob, handle: await storage.begin(blob, 1) };
    const part = {
      number: 1,
      sizeBytes: 3,
      sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    };
    await storage.putPart(
      upload,
      part,
      (async function* () {
        yield Buffer.from('abc');
      })(),
    );
    await storage.finish(upload, [part]);
    const folder = join(root, blob.projectId, blob.blobId);
    const [name = ''] = (await readdir(folder)).filter((each) => each.startsWith('part-'));
    await truncate(join(folder, name), 1);
    const read = async () => {
      for await (const _ of (await storage.read(blob, { start: 0, end: 2 })) ?? []);
    };
    await expect(read()).rejects.toThrow(/damaged/);
  });
});
