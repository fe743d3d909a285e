import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { checksumOf, hexOf, sha256Of } from './digest.ts';

const digestOf = (text: string | Buffer) => createHash('sha256').update(text).digest();

it('has the checksum of a file of one part, and of the digests of several, as the API writes them', async () => {
  const [one, two] = [await sha256Of(Buffer.from('abcd')), await sha256Of(Buffer.from('ef'))];
  expect(hexOf(one)).toBe(digestOf('abcd').toString('hex'));
  expect(await checksumOf([one])).toBe(`sha256:${digestOf('abcd').toString('hex')}`);
  const both = digestOf(Buffer.concat([digestOf('abcd'), digestOf('ef')])).toString('hex');
  expect(await checksumOf([one, two])).toBe(`sha256-parts:${both}`);
});
