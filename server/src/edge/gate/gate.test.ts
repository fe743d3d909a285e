import { describe, expect, it } from 'vitest';
import { makeTestClock } from '../../kernel/clock.ts';
import { callerAddress } from './caller-address.ts';
import { makeGate } from './gate.ts';

const one = callerAddress('192.0.2.1');
const other = callerAddress('192.0.2.2');
function setUp(perMinute: number) {
  const clock = makeTestClock();
  const gate = makeGate({ clock, perMinute: () => perMinute });
  const passed = (times: number, address = one, credential?: (n: number) => string) => {
    let count = 0;
    for (let n = 0; n < times; n += 1) if (gate.admit(address, credential?.(n)) === undefined) count += 1;
    return count;
  };
  return { clock, gate, passed };
}

describe('the gate', () => {
  it.each([1, 3, 7, 120, 600])(
    'lets %i requests of strangers pass at once, and as many again a minute later',
    async (limit) => {
      const { clock, gate, passed } = setUp(limit);
      expect(passed(limit + 100)).toBe(limit);
      expect(gate.admit(one, undefined)).toBeGreaterThan(0);
      await clock.advance(60_000);
      expect(passed(limit + 100)).toBe(limit);
    },
  );

  it('fills evenly: half a minute gives back half of the budget', async () => {
    const { clock, passed } = setUp(100);
    expect(passed(200)).toBe(100);
    await clock.advance(30_000);
    expect(passed(200)).toBe(50);
  });

  it('counts each address by itself', () => {
    const { passed } = setUp(10);
    expect(passed(20, one)).toBe(10);
    expect(passed(20, other)).toBe(10);
  });

  it('counts credentials that nobody has vouched for, however many there are', () => {
    const { passed } = setUp(10);
    expect(passed(1_000, one, (n) => `Bearer forged-${n}`)).toBe(10);
  });

  it('lets known credentials pass from an address whose budget is spent', async () => {
    const { clock, gate, passed } = setUp(10);
    gate.vouch('Bearer good');
    expect(passed(1_000, one)).toBe(10);
    expect(passed(1_000, one, () => 'Bearer good')).toBe(1_000);
    gate.doubt('Bearer good');
    expect(passed(5, one, () => 'Bearer good')).toBe(0);
    gate.vouch('Bearer good');
    await clock.advance(15 * 60_000);
    gate.admit(other, 'Bearer good');
    expect(passed(1_000, other, () => 'Bearer good')).toBeLessThan(1_000);
  });

  it('keeps a bounded number of addresses and credentials', () => {
    const { gate, passed } = setUp(1);
    for (let n = 0; n < 60_000; n += 1) gate.vouch(`Bearer ${n}`);
    expect(passed(1, one)).toBe(1);
    // The first ones were forgotten, the last ones are known.
    expect(passed(1, one, () => 'Bearer 0')).toBe(0);
    expect(passed(1, one, () => 'Bearer 59999')).toBe(1);
  });
});
