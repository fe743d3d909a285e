import { describe, expect, it } from 'vitest';
import { callerAddress } from './caller-address.ts';

describe('the address that limits count', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::FFFF:C000:0207', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['', 'unknown'],
    ['somewhere', 'unknown'],
    [undefined, 'unknown'],
  ])('of %s is %s', (given, counted) => {
    expect(callerAddress(given)).toBe(counted);
  });

  it('is the same for all addresses of a /64, and another for the next /64', () => {
    expect(callerAddress('2001:db8::ffff:ffff:ffff:ffff')).toBe(callerAddress('2001:db8::1'));
    expect(callerAddress('2001:db8:0:1::1')).not.toBe(callerAddress('2001:db8::1'));
  });
});
