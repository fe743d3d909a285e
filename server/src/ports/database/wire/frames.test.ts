import { describe, expect, it } from 'vitest';
import { asSent, Frames } from './frames.ts';

const taken = (say: (frames: Frames) => void): Buffer => {
  const frames = new Frames();
  say(frames);
  return frames.take();
};

describe('frames', () => {
  it('say how long they are before what they are', () => {
    expect(taken((frames) => frames.parse('ä', 'select 1')).toString('latin1')).toBe('P\0\0\0\x12Ã¤\0select 1\0\0\0');
    expect(taken((frames) => frames.bind('s', ['a', null, Uint8Array.of(255)])).toString('latin1')).toBe(
      'B\0\0\0\x21\0s\0\0\x03\0\0\0\0\0\x01\0\x03\0\0\0\x01a\xff\xff\xff\xff\0\0\0\x01\xff\0\0',
    );
  });

  it('leave together, once, and grow as needed', () => {
    const frames = new Frames();
    const long = 'ü'.repeat(100_000);
    frames.bind('s', [long]);
    frames.describe();
    frames.execute();
    frames.sync();
    const first = frames.take();
    expect(first.readInt32BE(1)).toBe(first.length - 1 - 7 - 10 - 5);
    expect(first.includes(long)).toBe(true);
    frames.flush();
    expect(frames.take().toString('latin1')).toBe('H\0\0\0\x04');
  });

  it('carry values as PostgreSQL reads them', () => {
    expect([1, 2n, true, null, undefined, { a: 'b' }].map(asSent)).toEqual(['1', '2', 'true', null, null, '{"a":"b"}']);
    expect(asSent(new Date(0))).toBe('1970-01-01T00:00:00.000Z');
    expect(asSent(['a"b', 'c\\d', null, 'NULL', ['{']])).toBe('{"a\\"b","c\\\\d",NULL,"NULL",{"{"}}');
    expect(() => asSent(() => 1)).toThrow('A function cannot be sent');
    expect(() => asSent(new Date(Number.NaN))).toThrow('Invalid time value');
  });
});
