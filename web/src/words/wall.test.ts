import { describe, expect, it } from 'vitest';
import { readAccess } from './access.ts';
import { tilesOf, troublesOf } from './wall.ts';

describe('the wall', () => {
  it('has one tile per GPU, trouble first, and shows GPUs that have no slot yet', () => {
    const tiles = tilesOf({ gpus_total: 6, state: 'active', slots: { available: 2, in_use: 1, cleanup_blocked: 1 } });
    expect(tiles).toEqual(['trouble', 'used', 'free', 'free', 'off', 'off']);
  });
  it('names what needs somebody, the worst first', () => {
    const node = { gpus_total: 8, slots: {}, state_reason: null, cordon_reason: null };
    const troubles = troublesOf([
      { ...node, id: 'a', name: 'a', state: 'active', cordon_reason: 'a fan' },
      { ...node, id: 'b', name: 'b', state: 'offline' },
      { ...node, id: 'c', name: 'c', state: 'active', slots: { quarantined: 1 } },
      { ...node, id: 'd', name: 'd', state: 'active' },
    ]);
    expect(troubles.map(({ node: { id }, why }) => [id, why])).toEqual([
      ['b', 'nobody has heard from it'],
      ['c', '1 slot needs somebody'],
      ['a', 'cordoned: a fan'],
    ]);
  });
});

describe('the way in', () => {
  const login = { username: 'u20001' };
  it('is one line for a shell', () => {
    expect(readAccess({ access: { address: '10.0.0.5', port: 2222 }, login })?.line).toBe(
      'ssh -p 2222 u20001@10.0.0.5',
    );
    expect(readAccess({ access: { ssh: { address: 'h.example', port: 22, username: 'x' } }, login })?.line).toBe(
      'ssh x@h.example',
    );
  });
  it('is not shown when it could mean something else to a shell, or is not known', () => {
    expect(readAccess({ access: { address: '$(reboot)' }, login })).toBeUndefined();
    expect(readAccess({ access: null, login })).toBeUndefined();
    expect(readAccess({ access: { address: 'h' }, login: null })).toBeUndefined();
  });
});
