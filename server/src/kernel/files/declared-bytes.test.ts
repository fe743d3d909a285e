import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { checkDeclared, NotAsDeclared } from './declared-bytes.ts';

const bytes = Buffer.from('the whole file');
const sha256 = createHash('sha256').update(bytes).digest('hex');
async function* pieces(whole: Buffer, breaks?: Error): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < whole.length; at += 4) yield whole.subarray(at, at + 4);
  if (breaks) throw breaks;
}
const read = async (given: AsyncIterable<Uint8Array>, declared: { sizeBytes: number; sha256: string }) => {
  const seen: Uint8Array[] = [];
  try {
    for await (const chunk of checkDeclared(given, declared)) seen.push(chunk);
  } catch (error) {
    return { error, read: Buffer.concat(seen).length };
  }
  return { text: Buffer.concat(seen).toString() };
};

describe('bytes with a declared size and digest', () => {
  it('pass when they are what was declared', async () => {
    expect(await read(pieces(bytes), { sizeBytes: bytes.length, sha256 })).toEqual({ text: 'the whole file' });
  });

  it.each([
    ['another digest', pieces(bytes), { sizeBytes: bytes.length, sha256: '0'.repeat(64) }, 14, `sha256:${sha256}`],
    ['too few', pieces(bytes.subarray(0, 8)), { sizeBytes: bytes.length, sha256 }, 8, 'ended after 8 of 14'],
    ['too many', pieces(bytes), { sizeBytes: 6, sha256 }, 4, 'more than 6'],
    ['a broken connection', pieces(bytes, new Error('reset')), { sizeBytes: 99, sha256 }, 14, 'ended after 14 of 99'],
  ] as const)('fail with %s, before the end is reached', async (_, given, declared, passed, message) => {
    const { error, read: count } = (await read(given, declared)) as { error: Error; read: number };
    expect(error).toBeInstanceOf(NotAsDeclared);
    expect({ count, says: error.message.includes(message) }).toEqual({ count: passed, says: true });
  });
});
