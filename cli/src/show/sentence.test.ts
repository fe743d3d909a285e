import { describe, expect, it } from 'vitest';
import { sentenceOf, sshWords } from './sentence.ts';

const login = { username: 'u20001', uid: 20_001, gid: 20_001 };

describe('the ssh command of an allocation', () => {
  it('uses the login that was ordered, not the one that the node reports', () => {
    const access = { address: '10.0.0.5', port: 2222, username: 'root' };
    expect(sshWords({ access, login })).toEqual(['ssh', '-p', '2222', 'u20001@10.0.0.5']);
  });

  it.each([
    ['-oProxyCommand=id>/tmp/p;#', '10.0.0.5'],
    ['a;curl x|sh;', '10.0.0.5'],
    ['ada', '-oProxyCommand=id'],
    ['ada', '10.0.0.5;id'],
    ['ada', '$(id)'],
  ])('is not made from the login %s at %s', (username, address) => {
    expect(sshWords({ access: { address, username, port: 22 }, login: null })).toBeUndefined();
  });
});

describe('the timeline of an allocation', () => {
  const item = { id: '0', at: '2026-01-02T03:04:05Z', version: null, correlation_id: null, detail: {} };
  it('does not speak of a host where there was none', () => {
    const left = {
      ...item,
      kind: 'transition',
      name: 'cancel',
      from_state: 'requested',
      to_state: 'released',
    } as const;
    expect(sentenceOf(left)).toBe('cancelled before a host was assigned');
    expect(sentenceOf({ ...left, name: 'prove', from_state: 'releasing' })).toBe('releasing → released');
  });
  it('says until when it was extended', () => {
    const task = { ...item, kind: 'task', name: 'allocation.extend_lease', from_state: null, to_state: null } as const;
    expect(sentenceOf({ ...task, detail: { expires_at: '2026-01-02T03:04:05Z' } })).toMatch(/^extended to .*2026/);
  });
});
