import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeTable, showDistance } from './table.ts';

const now = Date.parse('2026-11-15T12:00:00Z');
const rows = [
  {
    name: 'trainer',
    state: 'release_failed',
    simulated: true,
    gpus: 8,
    price: { amount_minor: '45000', currency: 'USD' },
    created_at: '2026-11-15T11:57:00Z',
  },
  {
    name: 'a-name-that-is-much-longer-than-others',
    state: 'active',
    simulated: false,
    gpus: 16,
    price: { amount_minor: '450', currency: 'USD' },
    created_at: '2026-11-13T12:00:00Z',
  },
];
const paths = ['name', 'state', 'simulated', 'gpus', 'price', 'created_at'];

describe('a table', () => {
  it('has words, distances of time, money with its currency, and figures that end below each other', () => {
    expect(makeTable(rows, paths, { now })).toBe(
      [
        'NAME                                    STATE           SIMULATED  GPUS       PRICE  CREATED',
        'trainer                                 release failed  yes           8  450.00 USD  3 min ago',
        'a-name-that-is-much-longer-than-others  active          no           16    4.50 USD  2 d ago',
        '',
      ].join('\n'),
    );
  });

  it('tells who did what in words, and what was used in hours', () => {
    const did = [
      { actor_name: 'Mara Member', action: 'billing.grant', quantity_ms: '15600000' },
      { actor_name: null, action: 'usage.accrue', quantity_ms: 3_600_000 },
    ];
    expect(makeTable(did, ['actor_name', 'action', 'quantity_ms'], { now })).toBe(
      [
        'WHO           ACTION          GPU OR NODE HOURS',
        'Mara Member   granted credit               4.33',
        'the platform  charged usage                1.00',
        '',
      ].join('\n'),
    );
    // Operators filter by the code, so their list has it.
    expect(makeTable(did, ['action'], { now })).toContain('billing.grant');
  });

  it('cuts its widest columns to a narrow terminal, and nothing for a program', () => {
    const narrow = makeTable(rows, paths, { now, width: 80 });
    expect(Math.max(...narrow.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(narrow).toContain('a-name-that-is-much-lon…');
    expect(narrow).toContain('450.00 USD');
    const id = '01a1dea2-0000-7000-8000-000000000001';
    const withId = makeTable([{ id, name: 'a-name-that-is-much-longer-than-others' }], ['id', 'name'], {
      now,
      width: 50,
    });
    expect(withId).toContain(`${id}  a-name-that…`);
  });

  it('ends for any terminal and any cells, with every line as wide as the terminal at most or the least it can be', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 200 }),
        fc.array(fc.string(), { minLength: 1, maxLength: 6 }),
        (width, cells) => {
          const row = Object.fromEntries(cells.map((cell, at) => [`c${at}`, cell]));
          const lines = makeTable([row], Object.keys(row), { now, width }).split('\n');
          const least = cells.length * 8 + (cells.length - 1) * 2;
          for (const line of lines) expect(line.length).toBeLessThanOrEqual(Math.max(width, least));
        },
      ),
    );
  });
});

it.each([
  ['2026-11-15T11:59:50.123Z', '10 s ago'],
  ['2026-11-15T11:57:00Z', '3 min ago'],
  ['2026-11-15T14:30:00Z', 'in 2 h 30 min'],
  ['2026-11-10T12:00:00Z', '5 d ago'],
  ['2025-01-02T12:00:00Z', '2025-01-02'],
  ['not a time', 'not a time'],
])('the moment %s is shown as %s', (iso, shown) => expect(showDistance(iso, now)).toBe(shown));
