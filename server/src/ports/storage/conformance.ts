import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemIds } from '../../kernel/id.ts';
import { endsByItself } from '../../testing/servers/ends-by-itself.ts';
import type { StorageConfig } from './open.ts';
import { limits, type OpenUpload, type Part, type Storage } from './port.ts';

/** A store with nothing in it, and the means to disturb it. */
export interface StorageWorld {
  /** The configuration with which `open` opens. */
  readonly config: StorageConfig;
  open(): Promise<Storage>;
  breakDown(): Promise<void>;
  recover(): Promise<void>;
  close(): Promise<void>;
}

const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const partOf = (number: number, bytes: Uint8Array): Part => ({
  ...{ number, sizeBytes: bytes.length, sha256: sha256Of(bytes) },
});
async function* stream(...pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}
const patterned = (size: number, seed: number): Buffer =>
  Buffer.alloc(size, Buffer.from(Array.from({ length: 251 }, (_, index) => (index * 31 + seed) % 251)));

/** What a store of tenants' bytes promises. */
export function storageConformance(name: string, makeWorld: () => Promise<StorageWorld>): void {
  describe(`storage: ${name}`, () => {
    let world: StorageWorld;
    let storage: Storage;
    beforeAll(async () => {
      world = await makeWorld();
      storage = await world.open();
    });
    afterAll(async () => {
      await storage?.close();
      await world?.close();
    });
    const fresh = () => ({ projectId: systemIds.next(), blobId: systemIds.next() });
    const begin = async (): Promise<OpenUpload> => {
      const blob = fresh();
      return { ...blob, handle: await storage.begin(blob) };
    };
    const put = (upload: OpenUpload, part: Part, ...bytes: readonly Uint8Array[]) =>
      storage.putPart(upload, part, stream(...bytes));
    const keep = async (...pieces: readonly Uint8Array[]): Promise<OpenUpload> => {
      const upload = await begin();
      const parts = pieces.map((piece, index) => partOf(index + 1, piece));
      for (const [index, piece] of pieces.entries()) await put(upload, parts[index] as Part, piece);
      await storage.finish(upload, parts);
      return upload;
    };
    const read = async (upload: OpenUpload, start: number, end: number) => {
      const found = await storage.read(upload, { start, end });
      return found && (await buffer(found));
    };
    const large = patterned(limits.smallestPartBytes, 7);

    it('keeps a blob of one part until it is removed, for every instance', async () => {
      const bytes = patterned(10_000, 1);
      const upload = await keep(bytes);
      const other = await world.open();
      expect(await buffer((await other.read(upload, { start: 0, end: 9_999 })) as AsyncIterable<Uint8Array>)).toEqual(
        bytes,
      );
      await other.close();
      await storage.remove(upload);
      expect(await storage.read(upload, { start: 0, end: 0 })).toBeUndefined();
      await storage.remove(upload);
    });

    it('keeps an empty blob', async () => {
      const upload = await keep(Buffer.alloc(0));
      expect(await storage.parts(upload).then((parts) => parts.length)).toBeLessThanOrEqual(1);
      await storage.remove(upload);
    });

    it('reads any range of a blob of several parts, across their borders', async () => {
      const second = patterned(1_000, 3);
      const upload = await keep(large, second);
      const whole = Buffer.concat([large, second]);
      const border = large.length;
      for (const [start, end] of [
        ...[
          [0, 0],
          [border - 1, border],
          [border, border],
          [whole.length - 1, whole.length - 1],
        ],
        ...[
          [border - 500, border + 499],
          [0, whole.length - 1],
        ],
      ] as [number, number][]) {
        expect(sha256Of((await read(upload, start, end)) ?? Buffer.alloc(0))).toBe(
          sha256Of(whole.subarray(start, end + 1)),
        );
      }
    });

    it('shows no blob before it is finished, and lists the parts that have arrived', async () => {
      const upload = await begin();
      const second = patterned(77, 5);
      await put(upload, partOf(2, second), second);
      expect(await storage.parts(upload)).toEqual([partOf(2, second)]);
      await put(upload, partOf(1, large), large);
      expect(await storage.parts(upload)).toEqual([partOf(1, large), partOf(2, second)]);
      expect(await storage.read(upload, { start: 0, end: 0 })).toBeUndefined();
      await storage.finish(upload, [partOf(1, large), partOf(2, second)]);
      expect(await read(upload, large.length, large.length + 76)).toEqual(second);
    });

    it('takes a part again, and the last one counts', async () => {
      const upload = await begin();
      const [first, second] = [patterned(50, 1), patterned(60, 2)];
      await put(upload, partOf(1, large), large);
      await put(upload, partOf(2, first), first);
      await put(upload, partOf(2, second), second);
      expect(await storage.parts(upload)).toContainEqual(partOf(2, second));
      await storage.finish(upload, [partOf(1, large), partOf(2, second)]);
      expect(await read(upload, large.length, large.length + 59)).toEqual(second);
    });

    it.each([1, 2])('shows nothing of an upload of %d parts before it is finished', async (count) => {
      const upload = await begin();
      const pieces = count === 1 ? [patterned(40, 1)] : [large, patterned(40, 1)];
      const parts = pieces.map((piece, index) => partOf(index + 1, piece));
      for (const [index, piece] of pieces.entries()) await put(upload, parts[index] as Part, piece);
      expect(await storage.read(upload, { start: 0, end: 0 })).toBeUndefined();
      await storage.finish(upload, parts);
      expect(await read(upload, 0, 0)).toHaveLength(1);
    });

    it.each([1, 2])('never changes a blob of %d parts that is finished, by a part that comes late', async (count) => {
      const pieces = count === 1 ? [patterned(40, 1)] : [large, patterned(40, 1)];
      const upload = await keep(...pieces);
      const [whole, late] = [Buffer.concat(pieces), patterned(40, 2)];
      await expect(put(upload, partOf(count, late), late)).rejects.toThrow(RangeError);
      expect(await read(upload, 0, whole.length - 1)).toEqual(whole);
    });

    it('takes no part of an upload that was given up', async () => {
      const bytes = patterned(40, 1);
      const upload = await begin();
      await storage.remove(upload);
      await expect(put(upload, partOf(1, bytes), bytes)).rejects.toThrow(RangeError);
      expect(await storage.read(upload, { start: 0, end: 0 })).toBeUndefined();
    });

    it.each([
      ['another digest', (part: Part) => ({ ...part, sha256: sha256Of(Buffer.from('other')) })],
      ['fewer bytes than declared', (part: Part) => ({ ...part, sizeBytes: part.sizeBytes + 1 })],
      ['more bytes than declared', (part: Part) => ({ ...part, sizeBytes: part.sizeBytes - 1 })],
    ])('refuses a part with %s, and keeps nothing of it', async (_, change) => {
      const bytes = patterned(4_000, 9);
      const upload = await begin();
      const part = change(partOf(1, bytes));
      await expect(put(upload, part, bytes)).rejects.toThrow(/The body /);
      expect(await storage.parts(upload)).toEqual([]);
      await expect(storage.finish(upload, [part])).rejects.toThrow(/missing/);
      await storage.remove(upload);
    });

    it('keeps nothing of a part whose sender breaks off', async () => {
      const upload = await begin();
      const part = partOf(1, patterned(100_000, 4));
      const cut = async function* () {
        yield patterned(100_000, 4).subarray(0, 40_000);
        throw new Error('the line broke');
      };
      await expect(storage.putPart(upload, part, cut())).rejects.toThrow(/ended after 40000 of 100000/);
      expect(await storage.parts(upload)).toEqual([]);
      await storage.remove(upload);
    });

    it('finishes twice with the same parts, and never with a part that is not there', async () => {
      const bytes = patterned(300, 2);
      const upload = await begin();
      await put(upload, partOf(1, large), large);
      await expect(storage.finish(upload, [partOf(1, large), partOf(2, bytes)])).rejects.toThrow('part 2 is missing');
      await put(upload, partOf(2, bytes), bytes);
      const parts = [partOf(1, large), partOf(2, bytes)];
      await storage.finish(upload, parts);
      // Whoever lost the answer lists the parts again before it finishes again.
      expect(await storage.parts(upload)).toEqual(parts);
      await storage.finish(upload, parts);
      expect(await read(upload, large.length, large.length + 299)).toEqual(bytes);
    });

    it('removes what has arrived of an upload that was given up', async () => {
      const upload = await begin();
      await put(upload, partOf(1, large), large);
      await storage.remove(upload);
      await storage.remove(upload);
      await expect(storage.finish(upload, [partOf(1, large)])).rejects.toThrow();
      expect(await storage.read(upload, { start: 0, end: 0 })).toBeUndefined();
    });

    it.each(['', '.', '..', '../x', 'a/b', '%2e%2e', '/etc', 'x\0', '０'.repeat(36), 'A'.repeat(99)])(
      'takes no name that is not an id: %j',
      async (text) => {
        const { projectId, blobId } = fresh();
        for (const blob of [
          { projectId: text, blobId },
          { projectId, blobId: text },
        ]) {
          await expect((async () => storage.begin(blob))()).rejects.toThrow(RangeError);
          await expect((async () => storage.read(blob, { start: 0, end: 0 }))()).rejects.toThrow(RangeError);
          await expect((async () => storage.remove({ ...blob, handle: 'x' }))()).rejects.toThrow(RangeError);
        }
      },
    );

    it('keeps the bytes of a project apart from those of another one with the same blob', async () => {
      const [one, two] = [patterned(20, 1), patterned(20, 2)];
      const first = await keep(one);
      const second = { ...first, projectId: systemIds.next() };
      const upload = { ...second, handle: await storage.begin(second) };
      await put(upload, partOf(1, two), two);
      await storage.finish(upload, [partOf(1, two)]);
      await storage.remove(upload);
      expect(await read(first, 0, 19)).toEqual(one);
    });

    it('fails while it is away, and works again when it is back', async () => {
      const bytes = patterned(10, 1);
      const upload = await keep(bytes);
      await world.breakDown();
      await expect(storage.check()).rejects.toThrow();
      await expect(storage.begin(fresh())).rejects.toThrow();
      await world.recover();
      await storage.check();
      expect(await read(upload, 0, 9)).toEqual(bytes);
    }, 120_000);

    it('lets its process end once it is closed', async () => {
      await endsByItself(new URL('./open.ts', import.meta.url).href, 'openStorage', world.config);
    });
  });
}
