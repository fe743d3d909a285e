import { describe, expect, it } from 'vitest';
import { setApart } from './particulars.ts';

describe('a change that is audited', () => {
  it.each([
    ['a mail address', { invited: 'ada@example.test' }],
    ['a mail address deep inside', { members: [{ to: { invited: 'ada@example.test' } }] }],
    ['an address of a network', { from: '192.0.2.7' }],
    ['an address of IPv6', { from: '2001:db8::7' }],
    ['a name of one word', { display_name: 'Ada' }],
    ['a name that a person gave to a thing', { name: 'laptop' }],
    ['a reason', { reason: 'asked' }],
    ['free text under any key', { remark: 'Ada asked for it' }],
    ['letters beyond ASCII', { remark: 'Adä' }],
    ['a key that is itself an address', { 'ada@example.test': true }],
    ['a user agent', { user_agent: 'curl/8.0' }],
  ])('keeps %s apart', (_, change) => {
    expect(setApart({ ...change, role: 'owner' })).toEqual({ kept: { role: 'owner' }, apart: change });
  });

  it('keeps ids, states, numbers, times and digests in the log', () => {
    const change = {
      state: ['active', 'releasing'],
      user_id: '0197c0de-0000-7000-8000-000000000000',
      fingerprint: 'SHA256:abc+/=',
      expires_at: '2026-01-01T00:00:00.000Z',
      driver: '580.159.04',
      ended: { sessions: 2, browsers: 0 },
      role: [null, 'member'],
    };
    expect(setApart(change)).toEqual({ kept: change, apart: undefined });
  });
});
