import { createHash } from 'node:crypto';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Clock } from '../../kernel/clock.ts';
import { endsByItself } from '../../testing/servers/ends-by-itself.ts';
import type { ObjectsConfig } from './open.ts';
import type { ObjectFacts, Objects } from './port.ts';

/** A store with nothing in it, and the means to disturb it. */
export interface ObjectsWorld {
  /** The configuration with which `open` opens. */
  readonly config: ObjectsConfig;
  open(): Promise<Objects>;
  breakDown(): Promise<void>;
  recover(): Promise<void>;
  close(): Promise<void>;
}

/** What a store of objects promises. Its stamps are those of the clock it was opened with. */
export function objectsConformance(name: string, clock: Clock, makeWorld: () => Promise<ObjectsWorld>): void {
  describe(`objects: ${name}`, () => {
    let world: ObjectsWorld;
    let objects: Objects;
    let folders = 0;
    let at = '';

    beforeAll(async () => {
      world = await makeWorld();
      objects = await world.open();
    });
    afterEach(async () => {
      for (const { key } of await objects.list(`${at}/`, { limit: 1000 })) await objects.delete(key);
    });
    afterAll(async () => {
      await objects?.close();
      await world?.close();
    });
    /** A key in a folder that belongs to one test. */
    const begin = () => {
      folders += 1;
      at = `test-${folders}`;
      return (rest: string) => `${at}/${rest}`;
    };

    it('keeps an object with its facts until it is deleted, for every instance', async () => {
      const key = begin()('a/b/report.json');
      const content = Buffer.from('{"größe": 1}');
      const put = await objects.put(key, content, { contentType: 'application/json; charset=utf-8' });
      const facts: ObjectFacts = {
        key,
        size: content.length,
        sha256: sha256Of(content),
        contentType: 'application/json; charset=utf-8',
        modifiedAt: clock.now(),
      };
      expect(put).toEqual(facts);
      const other = await world.open();
      expect(await other.facts(key)).toEqual(facts);
      const found = await other.get(key);
      expect(found?.facts).toEqual(facts);
      expect(await contentOf(other, key)).toEqual(content);
      found?.body.destroy();
      await other.delete(key);
      expect(await objects.get(key)).toBeUndefined();
      expect(await objects.facts(key)).toBeUndefined();
      await other.delete(key);
      await other.close();
    });

    it('has nothing under a key that was never put, nor under the folder of one that was', async () => {
      const key = begin();
      await objects.put(key('folder/object'), Buffer.from('x'));
      expect(await objects.get(key('missing'))).toBeUndefined();
      expect(await objects.facts(key('missing'))).toBeUndefined();
      expect(await objects.get(key('folder'))).toBeUndefined();
      expect(await objects.facts(key('folder'))).toBeUndefined();
      expect(await objects.get(key('folder/object/below'))).toBeUndefined();
      await objects.delete(key('missing'));
      await objects.delete(key('folder'));
      expect(await contentOf(objects, key('folder/object'))).toEqual(Buffer.from('x'));
    });

    it('replaces bytes and facts together', async () => {
      const key = begin()('object');
      await objects.put(key, Buffer.from('a long first version'), { contentType: 'text/plain' });
      const replaced = await objects.put(key, Buffer.from('second'));
      expect(replaced.contentType).toBe('application/octet-stream');
      expect(await objects.facts(key)).toEqual(replaced);
      expect(await contentOf(objects, key)).toEqual(Buffer.from('second'));
    });

    it.each([
      ['an empty buffer', () => Buffer.alloc(0)],
      ['an empty stream', () => Readable.from([])],
    ])('keeps an empty object from %s', async (_, body) => {
      const key = begin()('empty');
      const facts = await objects.put(key, body());
      expect(facts).toMatchObject({ size: 0, sha256: sha256Of(Buffer.alloc(0)) });
      expect(await objects.facts(key)).toEqual(facts);
      expect(await contentOf(objects, key)).toEqual(Buffer.alloc(0));
    });

    it('keeps every byte value, from a buffer and from a stream of text', async () => {
      const key = begin();
      const all = Buffer.from(Array.from({ length: 1024 }, (_, index) => index % 256));
      await objects.put(key('bytes'), all);
      expect(await contentOf(objects, key('bytes'))).toEqual(all);
      await objects.put(key('text'), Readable.from(['Grö', 'ße ', '容量\0\r\n']));
      expect(await contentOf(objects, key('text'))).toEqual(Buffer.from('Größe 容量\0\r\n'));
    });

    it('keeps a stream of 20 MB whose length nobody knows beforehand', async () => {
      const key = begin()('large');
      const digest = createHash('sha256');
      const facts = await objects.put(key, Readable.from(patterns(20_000_000, digest)));
      expect(facts).toMatchObject({ size: 20_000_000, sha256: digest.digest('hex') });
      expect(await objects.facts(key)).toEqual(facts);
      const read = createHash('sha256');
      const found = await objects.get(key);
      for await (const chunk of found?.body ?? []) read.update(chunk);
      expect(read.digest('hex')).toBe(facts.sha256);
    });

    it('keeps a large buffer as well', async () => {
      const key = begin()('large');
      const content = Buffer.alloc(9_000_000, 'pattern');
      const facts = await objects.put(key, content);
      expect(facts).toMatchObject({ size: content.length, sha256: sha256Of(content) });
      expect(sha256Of(await contentOf(objects, key))).toBe(facts.sha256);
    });

    it.each([
      ['a short', 1_000],
      ['a long', 12_000_000],
    ])('keeps the old object when %s upload breaks off', async (_, bytes) => {
      const key = begin()('object');
      const old = await objects.put(key, Buffer.from('old'), { contentType: 'text/plain' });
      async function* breaking() {
        yield* patterns(bytes);
        throw new Error('the source broke off');
      }
      await expect(objects.put(key, Readable.from(breaking()))).rejects.toThrow('the source broke off');
      const leaving = new PassThrough();
      leaving.write('a part');
      const left = objects.put(key, leaving);
      leaving.destroy();
      await expect(left).rejects.toThrow();
      expect(await objects.facts(key)).toEqual(old);
      expect(await contentOf(objects, key)).toEqual(Buffer.from('old'));
      await expect(objects.put(`${at}/new`, Readable.from(breaking()))).rejects.toThrow('the source broke off');
      expect((await objects.list(`${at}/`, { limit: 10 })).map((facts) => facts.key)).toEqual([key]);
    });

    it('shows a reader the old object or the new one while it is being replaced', async () => {
      const key = begin()('object');
      const versions = Array.from({ length: 4 }, (_, index) => Buffer.alloc(300_000 + index * 70_000, `${index}`));
      const wholes = new Set(versions.map(sha256Of));
      await objects.put(key, versions[0] as Buffer, { contentType: 'version/0' });
      let writing = true;
      let reads = 0;
      const read = async () => {
        while (writing || reads < 10) {
          const found = await objects.get(key);
          if (!found) throw new Error('the object was gone for a moment');
          const content = await buffer(found.body);
          reads += 1;
          expect(sha256Of(content)).toBe(found.facts.sha256);
          expect(content.length).toBe(found.facts.size);
          expect(found.facts.contentType).toBe(`version/${String.fromCharCode(content[0] ?? 0)}`);
          expect(wholes).toContain(found.facts.sha256);
        }
      };
      const write = async () => {
        for (let round = 0; round < 40; round += 1) {
          const version = round % versions.length;
          await objects.put(key, versions[version] as Buffer, { contentType: `version/${version}` });
        }
        writing = false;
      };
      await Promise.all([write().finally(() => (writing = false)), read(), read()]);
      expect(reads).toBeGreaterThanOrEqual(10);
    });

    it('lets a reader finish the version it has begun, also when the key is replaced or deleted', async () => {
      const key = begin()('object');
      const first = Buffer.alloc(3_000_000, 'first');
      await objects.put(key, first);
      const found = await objects.get(key);
      await objects.put(key, Buffer.from('second'));
      await objects.delete(key);
      expect(sha256Of(await buffer(found?.body ?? Readable.from([])))).toBe(sha256Of(first));
    });

    it('keeps one whole object when many are put under one key at once', async () => {
      const key = begin()('deep/er/object');
      const versions = Array.from({ length: 12 }, (_, index) => Buffer.alloc(50_000 + index, `${index}`));
      const puts = await Promise.all(versions.map((version) => objects.put(key, version)));
      const last = await objects.facts(key);
      expect(puts).toContainEqual(last);
      expect(sha256Of(await contentOf(objects, key))).toBe(last?.sha256);
    });

    describe('a listing', () => {
      it('has the keys of a prefix in byte order, page by page', async () => {
        const key = begin();
        const names = ['B', 'a-b', 'a.b', 'a/1', 'a/2/x', 'a/2/y', 'a/20', 'a0', 'ab', 'b/1', 'b_', 'c'].map(key);
        const put = await Promise.all([...names].reverse().map((name) => objects.put(name, Buffer.from(name))));
        const inOrder = put.sort((one, two) => (one.key < two.key ? -1 : 1));
        expect(await objects.list(key(''), { limit: 1000 })).toEqual(inOrder);

        for (const limit of [1, 3, 5, 12]) {
          const paged: ObjectFacts[] = [];
          for (;;) {
            const after = paged.at(-1)?.key;
            const page = await objects.list(key(''), { limit, ...(after !== undefined && { after }) });
            paged.push(...page);
            if (page.length < limit) break;
          }
          expect(paged).toEqual(inOrder);
        }
        const keysOf = async (prefix: string, after?: string) =>
          (await objects.list(key(prefix), { limit: 1000, ...(after && { after: key(after) }) })).map(
            (facts) => facts.key,
          );
        expect(await keysOf('a/')).toEqual(['a/1', 'a/2/x', 'a/2/y', 'a/20'].map(key));
        expect(await keysOf('a/2')).toEqual(['a/2/x', 'a/2/y', 'a/20'].map(key));
        expect(await keysOf('a')).toEqual(['a-b', 'a.b', 'a/1', 'a/2/x', 'a/2/y', 'a/20', 'a0', 'ab'].map(key));
        expect(await keysOf('', 'a/2')).toEqual(names.filter((name) => name > key('a/2')).sort());
        expect(await keysOf('a/', 'a/2/x')).toEqual(['a/2/y', 'a/20'].map(key));
        expect(await keysOf('', 'zzz')).toEqual([]);
        expect(await keysOf('nothing/here')).toEqual([]);
      });

      it('keeps its order over many objects', async () => {
        const key = begin();
        const names = Array.from({ length: 50 }, (_, index) => key(`object-${String(index).padStart(2, '0')}`));
        await Promise.all(names.map((name) => objects.put(name, Buffer.from(name))));
        const first = await objects.list(key(''), { limit: 35 });
        expect(first.map((facts) => facts.key)).toEqual(names.slice(0, 35));
        const rest = await objects.list(key(''), { limit: 35, after: names[34] ?? '' });
        expect(rest.map((facts) => facts.key)).toEqual(names.slice(35));
      });

      it.each([0, -1, 1.5, 1001, Number.NaN])('refuses a page of %d', async (limit) => {
        await expect(objects.list('', { limit })).rejects.toThrow(RangeError);
      });
    });

    describe('hostile keys', () => {
      const hostile = [
        '',
        '.',
        '..',
        '../up',
        'a/../b',
        'a/..',
        'a/./b',
        './a',
        '/absolute',
        '/etc/passwd',
        'a//b',
        'a/',
        '//a',
        'nul\0byte',
        'a\\b',
        '..\\up',
        'C:\\windows',
        'c:a',
        '.hidden',
        'a/.hidden',
        '.incoming/x',
        '%2e%2e/up',
        'a b',
        'a\nb',
        'a\r\nb',
        '\u202eexe.txt',
        '․․/up',
        '．．/up',
        'a／b',
        'a∕b',
        'é',
        'e\u0301',
        '\ud800',
        '~root',
        '$HOME',
        '*',
        'a?b',
        'a#b',
        'x'.repeat(201),
        Array.from({ length: 91 }, () => 'x'.repeat(9)).join('/'),
      ];
      it.each(hostile.map((key) => [JSON.stringify(key).slice(0, 40), key]))('are refused: %s', async (_, key) => {
        const body = Readable.from(['x']);
        for (const call of [
          () => objects.put(key, body),
          () => objects.get(key),
          () => objects.facts(key),
          () => objects.delete(key),
          () => objects.list('', { limit: 1, after: key }),
        ]) {
          await expect(call()).rejects.toThrow(RangeError);
        }
        body.destroy();
      });
      it.each(['..', '../', '/', 'a//', 'a/../', '\0', 'é', 'a\\'])('are refused as prefixes: %j', async (prefix) => {
        await expect(objects.list(prefix, { limit: 1 })).rejects.toThrow(RangeError);
      });
      it.each(['', 'text', 'text/plain\r\nx: y', 'text/\u00e9', 'a b/c', `text/${'x'.repeat(300)}`])(
        'are no worse than hostile content types: %j',
        async (contentType) => {
          await expect(objects.put(`${begin()('x')}`, Buffer.from('x'), { contentType })).rejects.toThrow(RangeError);
        },
      );
      it('leave room for the longest plain ones', async () => {
        const key = begin()(`${'s'.repeat(200)}/${'Az09_=@+-.'.repeat(20)}`);
        await objects.put(key, Buffer.from('x'));
        expect(await contentOf(objects, key)).toEqual(Buffer.from('x'));
      });
    });

    it('leaves nothing behind that would keep a process alive', async () => {
      const ends = endsByItself(import.meta.resolve('./open.ts'), 'openObjects', world.config);
      await expect(ends).resolves.toBeUndefined();
    });

    it('is proved by a check, which throws when the store is away and passes when it is back', async () => {
      await expect(objects.check()).resolves.toBeUndefined();
      await world.breakDown();
      try {
        await expect(objects.check()).rejects.toThrow();
        await expect(objects.put(begin()('x'), Buffer.from('x'))).rejects.toThrow();
      } finally {
        await world.recover();
      }
      await vi.waitFor(() => objects.check(), { timeout: 15_000, interval: 50 });
      const key = begin()('x');
      await objects.put(key, Buffer.from('x'));
      expect(await contentOf(objects, key)).toEqual(Buffer.from('x'));
    });
  });
}

function sha256Of(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

async function contentOf(objects: Objects, key: string): Promise<Buffer> {
  const found = await objects.get(key);
  if (!found) throw new Error(`${key} is missing`);
  return buffer(found.body);
}

/** Bytes without a period that divides the chunks, so that a chunk in the wrong place shows. */
function* patterns(bytes: number, digest?: { update(chunk: Buffer): unknown }): Generator<Buffer> {
  for (let made = 0; made < bytes; ) {
    const chunk = Buffer.alloc(Math.min(65_521, bytes - made), `pattern ${made} `);
    digest?.update(chunk);
    made += chunk.length;
    yield chunk;
  }
}
