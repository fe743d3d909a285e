import { describe, expect, it } from 'vitest';
import { sshWords } from './sentence.ts';

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
