import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rename, rm, symlink, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemIds } from '../../kernel/id.ts';
import { storageConformance } from './conformance.ts';
import { openFileStorage } from './files.ts';
import { openStorage } from './open.ts';
import type { Part } from './port.ts';

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

const partOf = (text: string): Part => ({
  ...{ number: 1, sizeBytes: Buffer.byteLength(text), sha256: createHash('sha256').update(text).digest('hex') },
});
async function* piecesOf(text: string) {
  yield Buffer.from(text);
}

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

  it('keeps one file for a part, however often it is sent with other bytes', async () => {
    const storage = await openFileStorage({ root });
    const blob = { projectId: systemIds.next(), blobId: systemIds.next() };
    const upload = { ...blob, handle: await storage.begin(blob) };
    const parts = ['abc', 'def', 'ghi', 'jkl'].map((text) => ({ text, part: partOf(text) }));
    const send = ({ text, part }: (typeof parts)[number]) => storage.putPart(upload, part, piecesOf(text));
    for (const each of parts) await send(each);
    const names = async () => (await readdir(join(root, blob.projectId, blob.blobId))).sort();
    expect(await names()).toEqual([expect.stringMatching(/^part-1-3-/)]);
    await Promise.all(parts.map(send));
    const [arrived] = await storage.parts(upload);
    expect(await names()).toHaveLength(1);
    await storage.finish(upload, [arrived as Part]);
    expect(await names()).toHaveLength(2);
  });

  it('breaks a download off when a file was cut behind its back', async () => {
    const storage = await openFileStorage({ root });
    const blob = { projectId: systemIds.next(), blobId: systemIds.next() };
    const upload = { ...blob, handle: await storage.begin(blob) };
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
