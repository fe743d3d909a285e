import { describe, expect, it } from 'vitest';
import { groupProjects, readAccess, readFragment, readJump } from '../access.ts';
import { countTiles, filterWall, lookOfSlot, placesOf, sharesOf, tellAlert, tilesOf, troublesOf } from './wall.ts';

/** Every free slot may be sold, and nobody has found anything. */
const sound = { sellable_slots: 64, alerts: [] };

describe('the wall', () => {
  it('has one tile per GPU, trouble first, and shows GPUs that have no slot yet', () => {
    const tiles = tilesOf({
      ...sound,
      gpus_total: 6,
      state: 'active',
      slots: { available: 2, in_use: 1, cleanup_blocked: 1 },
    });
    expect(tiles).toEqual(['trouble', 'used', 'free', 'free', 'off', 'off']);
  });
  it.each([
    ['quarantined', [], 'trouble'],
    ['offline', [], 'trouble'],
    ['active', [{ effect: 'blocks_sale', message: 'Xid 79', slot_index: 0 }], 'trouble'],
    ['retired', [], 'off'],
  ] as const)('shows no free GPU on a node that is %s and has nothing to sell', (state, alerts, tile) => {
    expect(tilesOf({ gpus_total: 1, state, slots: { available: 1 }, sellable_slots: 0, alerts })).toEqual([tile]);
  });
  const broken = { effect: 'blocks_sale', message: 'Xid79: Slot 0: xid_79.', slot_index: 0 };
  it.each([
    ['the broken GPU in use, and the free ones as free', { in_use: 1, available: 7 }, 7, 'trouble', 'free'],
    ['the broken free GPU, and the others as free', { available: 8 }, 7, 'trouble', 'free'],
    [
      'the broken GPU, and the free ones of a cordoned host as not offered',
      { in_use: 1, available: 7 },
      0,
      'trouble',
      'off',
    ],
  ] as const)('marks %s', (_, slots, sellable_slots, first, others) => {
    const tiles = tilesOf({ gpus_total: 8, state: 'active', slots, sellable_slots, alerts: [broken] });
    const rest = 'in_use' in slots && others === 'off' ? ['used', ...Array(6).fill(others)] : Array(7).fill(others);
    expect(tiles).toHaveLength(8);
    expect(tiles[0]).toBe(first);
    expect(tiles.filter((tile) => tile === 'trouble')).toHaveLength(1);
    expect(new Set(tiles.slice(1))).toEqual(new Set(rest));
  });
  it('shows the free GPUs of a host that is only cordoned as not offered', () => {
    const node = { gpus_total: 2, state: 'active', slots: { available: 2 }, sellable_slots: 0, alerts: [] };
    expect(tilesOf(node)).toEqual(['off', 'off']);
  });
  it.each([
    ['active', true, [], 'available'],
    ['active', false, [], 'disabled'],
    ['draining', false, [], 'disabled'],
    ['quarantined', true, [], 'quarantined'],
    ['active', true, [broken], 'quarantined'],
  ] as const)('paints a free slot of a node that is %s, schedulable %s', (state, schedulable, alerts, look) => {
    const slot = { slot_index: 0, state: 'available', health_state: 'healthy' };
    expect(lookOfSlot(slot, { state, schedulable, alerts })).toBe(look);
  });
  it('names the slot of an alert once', () => {
    expect(tellAlert(broken)).toBe('Slot 0: Xid79');
    expect(tellAlert({ message: 'Xid79: fallen off the bus', slot_index: 3 })).toBe(
      'slot 3: Xid79: fallen off the bus',
    );
    expect(tellAlert({ message: 'Silent: no report', slot_index: null })).toBe('Silent: no report');
  });
  it('names every alert', () => {
    const alerts = [{ effect: 'blocks_sale', message: 'Xid79: fallen off the bus', slot_index: 3 }];
    const node = { ...sound, gpus_total: 8, slots: {}, state_reason: null, cordon_reason: null };
    expect(troublesOf([{ ...node, id: 'a', name: 'a', state: 'active', alerts }])).toMatchObject([
      { why: 'slot 3: Xid79: fallen off the bus' },
    ]);
  });
  it('names what needs attention, the worst first', () => {
    const node = { ...sound, gpus_total: 8, slots: {}, state_reason: null, cordon_reason: null };
    const troubles = troublesOf([
      { ...node, id: 'a', name: 'a', state: 'active', cordon_reason: 'a fan' },
      { ...node, id: 'b', name: 'b', state: 'offline' },
      { ...node, id: 'c', name: 'c', state: 'active', slots: { quarantined: 1 } },
      { ...node, id: 'd', name: 'd', state: 'active' },
    ]);
    expect(troubles.map(({ node: { id }, why }) => [id, why])).toEqual([
      ['b', 'no reports received'],
      ['c', '1 slot needs attention'],
      ['a', 'cordoned: a fan'],
    ]);
  });
});

describe('a wall that is larger than the screen', () => {
  const view = { count: 250, columns: 2, rowHeight: 48, height: 480, top: 0, current: 0 };
  it('has only what is in sight in the document, wherever one is', () => {
    for (const top of [0, 1_000, 3_000, 5_520]) {
      const current = Math.floor(top / 48) * 2;
      const places = placesOf({ ...view, top, current });
      expect(places[0]).toBeLessThanOrEqual(current);
      expect(places.at(-1)).toBeGreaterThanOrEqual(Math.min(250, Math.floor((top + 480) / 48) * 2) - 1);
      expect(places.length).toBeLessThanOrEqual(2 * (10 + 1 + 12));
    }
  });
  it('keeps the place where one was, before or behind what is in sight, in the order of the fleet', () => {
    for (const current of [0, 120, 249]) {
      const places = placesOf({ ...view, top: 3_000, current });
      expect(places).toContain(current);
      expect(places).toEqual(places.toSorted((a, b) => a - b));
      expect(new Set(places).size).toBe(places.length);
    }
  });
  it('never goes beyond its ends', () => {
    expect(placesOf(view)[0]).toBe(0);
    expect(placesOf({ ...view, top: 9_999, current: 249 }).at(-1)).toBe(249);
    expect(placesOf({ ...view, count: 0, current: -1 })).toEqual([]);
  });
  it('is narrowed by what its tiles are, by place, by kind and by name', () => {
    const node = { ...sound, gpus_total: 1, state: 'active', region: 'north', sku: 'h200' };
    const nodes = [
      { ...node, name: 'alpha', slots: { available: 1 } },
      { ...node, name: 'beta', slots: { in_use: 1 }, region: 'south' },
      { ...node, name: 'gamma', slots: { quarantined: 1 }, sku: 'h100' },
    ];
    const names = (filter: Parameters<typeof filterWall>[1]) => filterWall(nodes, filter).map(({ name }) => name);
    expect(names({})).toEqual(['alpha', 'beta', 'gamma']);
    expect(names({ tile: 'trouble' })).toEqual(['gamma']);
    expect(names({ region: 'south' })).toEqual(['beta']);
    expect(names({ sku: 'h200', tile: 'free' })).toEqual(['alpha']);
    expect(names({ q: ' ALP ' })).toEqual(['alpha']);
    expect(sharesOf(nodes)).toEqual([
      { sku: 'h200', used: 1, offered: 2 },
      { sku: 'h100', used: 0, offered: 1 },
    ]);
    expect(countTiles(nodes)).toEqual({ free: 1, used: 1, moving: 0, trouble: 1, off: 0 });
  });
});

describe('the way in', () => {
  const login = { username: 'u20001' };
  it('is one line for a shell', () => {
    expect(readAccess({ access: { address: '10.0.0.5', port: 2222 }, login })?.line).toBe(
      'ssh -p 2222 u20001@10.0.0.5',
    );
    const access = { ssh: { address: 'h.example', port: 22, username: 'x' } };
    expect(readAccess({ access, login: null })?.line).toBe('ssh x@h.example');
    // The login that was ordered counts, not the one that a node reports.
    expect(readAccess({ access, login })?.line).toBe('ssh u20001@h.example');
  });
  it('is not shown when it could mean something else to a shell, or is not known', () => {
    expect(readAccess({ access: { address: '$(reboot)' }, login })).toBeUndefined();
    expect(readAccess({ access: null, login })).toBeUndefined();
    expect(readAccess({ access: { address: 'h' }, login: null })).toBeUndefined();
    expect(readAccess({ access: { address: 'h', username: '-oProxyCommand=id' }, login: null })).toBeUndefined();
  });
});

describe('the line through the jump host', () => {
  const jump = {
    host: 'jump.example',
    port: 2222,
    username: 'jump',
    known_hosts: ['[jump.example]:2222 ssh-ed25519 AAAA'],
  };
  const login = { username: 'u20001' };
  it('names the jump host and the machine, with the host keys of both', () => {
    const access = { ssh: { host_keys: ['ssh-ed25519 BBBB', '@cert-authority * bad'] } };
    expect(readJump({ id: 'a1', access, login }, jump)).toEqual({
      line: 'ssh -J jump@jump.example:2222 u20001@gpuaas-a1',
      knownHosts: ['[jump.example]:2222 ssh-ed25519 AAAA', 'gpuaas-a1 ssh-ed25519 BBBB'],
    });
  });
  it('is not shown while no host key of the machine is known', () => {
    expect(readJump({ id: 'a1', access: { ssh: {} }, login }, jump)).toBeUndefined();
    expect(readJump({ id: 'a1', access: null, login }, jump)).toBeUndefined();
  });
});

describe('the part of an address after #', () => {
  it('is read, and is empty where it is not well formed', () => {
    expect(readFragment('#gpuaas_invite_a%5Fb')).toBe('gpuaas_invite_a_b');
    expect([readFragment('#%'), readFragment('')]).toEqual(['', '']);
  });
});

describe('the switcher of projects', () => {
  const organization = (id: string, name: string) => ({ id, name, slug: `slug-${id}` });
  const project = (organization_id: string) => ({ organization_id });

  it('tells organizations of one name apart, and leaves those without a project out', () => {
    const found = groupProjects(
      [
        organization('a', 'Personal'),
        organization('b', 'Personal'),
        organization('c', 'Lab'),
        organization('d', 'Empty'),
      ],
      [project('a'), project('b'), project('c'), project('c')],
    );
    expect(found.map(({ label, projects }) => [label, projects.length])).toEqual([
      ['Personal (slug-a)', 1],
      ['Personal (slug-b)', 1],
      ['Lab', 2],
    ]);
  });
});
