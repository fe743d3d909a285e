import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { inflateSync } from 'node:zlib';
import { woff } from './facts.ts';

/**
 * The bytes of a font, unpacked once. The package has it as WOFF, which the renderer would unpack anew for each document, in a second
 * rather than in milliseconds. A WOFF file is an OpenType file whose tables are compressed one by one.
 */
export const loadFont = (weight: 'Regular' | 'Medium'): Buffer => {
  const known = loaded.get(weight);
  if (known) return known;
  const path = fileURLToPath(import.meta.resolve(`roboto-fontface/fonts/roboto/Roboto-${weight}.woff`));
  const font = unpack(readFileSync(path));
  loaded.set(weight, font);
  return font;
};
const loaded = new Map<string, Buffer>();

export function unpack(packed: Buffer): Buffer {
  const count = packed.readUInt16BE(woff.countAt);
  const head = Buffer.alloc(woff.sfntHead + woff.sfntEntry * count);
  packed.copy(head, 0, woff.flavorAt, woff.flavorAt + woff.word);
  head.writeUInt16BE(count, woff.word);
  const parts: Uint8Array[] = [head];
  let offset = head.length;
  for (let index = 0; index < count; index += 1) {
    const from = woff.head + woff.entry * index;
    const to = woff.sfntHead + woff.sfntEntry * index;
    const [at, size, length] = [woff.offsetAt, woff.sizeAt, woff.lengthAt].map((each) =>
      packed.readUInt32BE(from + each),
    );
    if (at === undefined || size === undefined || length === undefined) throw new Error('the font ends early');
    const table = packed.subarray(at, at + size);
    const whole = size < length ? inflateSync(table) : table;
    packed.copy(head, to, from, from + woff.word);
    packed.copy(head, to + woff.word, from + woff.checksumAt, from + woff.checksumAt + woff.word);
    head.writeUInt32BE(offset, to + woff.sfntOffsetAt);
    head.writeUInt32BE(length, to + woff.sfntLengthAt);
    const padding = Buffer.alloc((woff.word - (length % woff.word)) % woff.word);
    parts.push(whole, padding);
    offset += length + padding.length;
  }
  return Buffer.concat(parts);
}
