import { describe, expect, it } from 'vitest';
import { Fault } from '../../kernel/fault.ts';
import { callerAddress } from './caller-address.ts';
import { makeStreamSeats } from './stream-seats.ts';

const limits = {
  'streams.max_per_person': 2,
  'streams.max_per_address': 3,
  'streams.max_per_process': 4,
} as Readonly<Record<string, number>>;
const setUp = () => {
  const seats = makeStreamSeats({ policy: (key) => limits[key] ?? 0 });
  return (caller: string, address: string) => seats.take(caller, callerAddress(address), {});
};
const why = (taken: (() => void) | Fault) =>
  taken instanceof Fault ? (taken.details as { policy: string }).policy : 'taken';

describe('open streams', () => {
  it('are limited for each caller, each address and the process', () => {
    const take = setUp();
    expect([1, 2, 3].map(() => why(take('anna', '192.0.2.1')))).toEqual(['taken', 'taken', 'streams.max_per_person']);
    expect(why(take('berta', '192.0.2.1'))).toBe('taken');
    expect(why(take('carla', '192.0.2.1'))).toBe('streams.max_per_address');
    expect(why(take('carla', '192.0.2.2'))).toBe('taken');
    expect(why(take('dora', '192.0.2.3'))).toBe('streams.max_per_process');
  });

  it('give their seat back once, however often they are told to', () => {
    const take = setUp();
    const first = take('anna', '192.0.2.1');
    const second = take('anna', '192.0.2.1');
    if (first instanceof Fault || second instanceof Fault) throw new Error('there were seats');
    first();
    first();
    expect(why(take('anna', '192.0.2.1'))).toBe('taken');
    expect(why(take('anna', '192.0.2.1'))).toBe('streams.max_per_person');
  });
});
