import { randomBytes, randomInt } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { makeOutput } from './output.ts';
import { makeRing } from './ring.ts';

const bytes = (count: number, fill = 1) => Buffer.alloc(count, fill);

describe('the ring of a terminal', () => {
  it('answers like a stream that forgets its beginning, whatever is pushed and forgotten', () => {
    const ring = makeRing(10_000);
    let all = Buffer.alloc(0);
    let from = 0;
    for (let step = 0; step < 600; step += 1) {
      const piece = randomBytes(randomInt(0, step % 100 === 0 ? 25_000 : 700));
      ring.push(piece);
      all = Buffer.concat([all, piece]);
      from = Math.max(from, all.length - 10_000);
      if (step % 7 === 0) {
        from = Math.min(Math.max(from, all.length - randomInt(0, 12_000)), all.length);
        ring.forget(from);
      }
      expect([ring.from, ring.to]).toEqual([from, all.length]);
      const place = randomInt(from, all.length + 1);
      const most = randomInt(0, 12_000);
      expect(ring.read(place, most).equals(all.subarray(place, place + most))).toBe(true);
      if (all.length > 60_000) {
        // Only the end is compared; the rest would make the test slow.
        all = Buffer.concat([Buffer.alloc(all.length - 20_000), all.subarray(-20_000)]);
      }
    }
    expect(ring.allocated).toBe(10_000);
  });

  it('takes little memory while little was printed, and refuses places that it does not have', () => {
    const ring = makeRing(1_000_000);
    ring.push(bytes(3_000));
    expect(ring.allocated).toBe(4_096);
    expect(() => ring.read(3_001, 1)).toThrow(RangeError);
    ring.forget(2_000);
    expect(() => ring.read(1_999, 1)).toThrow(RangeError);
  });
});

describe('the output of a terminal', () => {
  const fill = (output: ReturnType<typeof makeOutput>, piece = 4_096) => {
    let printed = 0;
    while (output.mayPrint && printed < 50_000_000) {
      output.push(bytes(piece));
      printed += piece;
    }
    return printed;
  };
  const drain = (output: ReturnType<typeof makeOutput>) => {
    let sent = 0;
    for (let next = output.next(); next; next = output.next()) sent += next.length;
    return sent;
  };
  const upTo = (ringBytes = 262_144, isRecorded = false) => {
    const output = makeOutput({ ringBytes, isRecorded });
    output.offer();
    output.resume(0);
    return output;
  };

  it('pauses the shell at the window of a reader who acknowledges nothing, and goes on as far as the reader read', () => {
    const output = upTo();
    output.setReader(true);
    let printed = 0;
    for (let round = 0; round < 20; round += 1) {
      printed += fill(output);
      drain(output);
    }
    expect(printed).toBe(524_288);
    expect(output.sent).toBe(524_288);
    output.acknowledge(65_536, 0);
    expect(fill(output) + printed).toBe(524_288 + 65_536);
    expect(output.from).toBe(65_536);
  });

  it('keeps everything that a lost reader has not acknowledged, until nobody is waited for', () => {
    const output = upTo();
    output.setReader(true);
    for (let round = 0; round < 20; round += 1) {
      fill(output);
      drain(output);
    }
    output.lose();
    expect([output.from, output.to, output.mayPrint]).toEqual([0, 524_288, false]);
    output.release();
    expect(fill(output)).toBeGreaterThan(10_000_000);
    expect(output.to - output.from).toBe(262_144);
    expect(output.allocated).toBeLessThanOrEqual(524_288 + 65_536);
  });

  it('lets a reader who comes after a long absence read on: what was forgotten is not waited for', () => {
    const output = upTo();
    output.lose();
    fill(output);
    output.offer();
    expect(output.resume(output.from)).toBe(output.from);
    output.setReader(true);
    expect(drain(output)).toBe(262_144);
    expect(fill(output)).toBe(262_144);
  });

  it('never forgets what a connection has not got, and holds still while a gateway decides where to begin', () => {
    const output = upTo();
    expect(fill(output)).toBe(262_144);
    expect(drain(output)).toBe(262_144);
    output.lose();
    fill(output);
    output.offer();
    const { from } = output;
    expect(output.mayPrint).toBe(false);
    expect(output.resume(0)).toBe(from);
  });

  it('waits for the recording of a recorded session, with or without a reader', () => {
    const output = upTo(65_536, true);
    let printed = 0;
    for (let round = 0; round < 10; round += 1) {
      printed += fill(output);
      drain(output);
    }
    expect(printed).toBe(65_536);
    output.acknowledge(0, 40_960);
    expect(fill(output)).toBe(40_960);
  });

  it('has no gap when a shell that is being ended prints more than there is room for', () => {
    const output = upTo();
    output.setReader(true);
    for (let value = 0; value < 40; value += 1) output.push(bytes(65_536, value));
    const places: number[] = [];
    output.ignoreWindow(true);
    for (let at = output.sent, next = output.next(); next; at = output.sent, next = output.next()) {
      expect(next.every((byte) => byte === Math.floor(at / 65_536))).toBe(true);
      places.push(at);
    }
    expect([places[0], output.sent, output.to]).toEqual([0, 524_288 + 65_536, 524_288 + 65_536]);
  });
});
