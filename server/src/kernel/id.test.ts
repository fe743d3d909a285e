import { describe, expect, it } from 'vitest';
import { makeTestClock } from './clock.ts';
import { clockIds, systemIds } from './id.ts';

const uuidv7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const bornAt = (id: string) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);

describe('ids', () => {
  it('are UUIDv7, unique, and sorted by birth even within one millisecond', () => {
    const ids = Array.from({ length: 5_000 }, () => systemIds.next());
    expect(ids.every((id) => uuidv7.test(id))).toBe(true);
    expect(new Set(ids).size).toBe(ids.length);
    expect([...ids].sort()).toEqual(ids);
  });

  it('follow the clock that was handed in', async () => {
    const clock = makeTestClock(new Date('2030-01-01T00:00:00Z'));
    const ids = clockIds(clock);
    const first = ids.next();
    await clock.advance(60_000);
    const second = ids.next();
    expect(bornAt(first)).toBe(Date.parse('2030-01-01T00:00:00Z'));
    expect(bornAt(second) - bornAt(first)).toBe(60_000);
    expect(second > first).toBe(true);
  });

  it('come with secrets of the length that was asked for, never the same one twice', () => {
    const secrets = Array.from({ length: 100 }, () => clockIds(makeTestClock()).secret(32));
    expect(secrets.every((secret) => /^[0-9a-f]{64}$/.test(secret))).toBe(true);
    expect(new Set(secrets).size).toBe(100);
  });
});
