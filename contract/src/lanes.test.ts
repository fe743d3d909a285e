import { describe, expect, it } from 'vitest';
import { countsAddresses, type Lane, lanes, slides } from './lanes.ts';
import { policies } from './policies.ts';
import { isWrite, laneOf } from './route.ts';
import { routes } from './routes/index.ts';

const isAboutMoney = (path: string) => /\/(?:billing|payments)(?:\/|$)|\/quotes(?:\/|$)/.test(path);

describe('a lane', () => {
  it('of money has every route about money, but for lists that operators read', () => {
    const money = routes.filter(
      ({ path, auth }) => isAboutMoney(path) && auth.kind !== 'public' && auth.kind !== 'node',
    );
    expect(money.length).toBeGreaterThan(40);
    const elsewhere = money.filter(({ lane }) => lane !== 'financial');
    expect(elsewhere.filter(isWrite).map(({ id }) => id)).toEqual([]);
    expect(elsewhere.filter(({ auth }) => auth.kind !== 'admin').map(({ id }) => id)).toEqual([]);
  });

  it('of money counts reads apart, so that looking at a bill does not stop a payment', () => {
    const money = routes.filter(({ lane }) => lane === 'financial');
    for (const route of money) expect(laneOf(route), route.id).toBe(isWrite(route) ? 'financial' : 'balances');
    const budget = (lane: Lane) => policies.find(({ key }) => key === lanes[lane].policy)?.default;
    expect(Number(budget('balances'))).toBeGreaterThanOrEqual(10 * Number(budget('financial')));
  });

  it('has a budget, and a small one where its window slides', () => {
    for (const lane of Object.keys(lanes) as Lane[]) {
      const budget = policies.find(({ key }) => key === lanes[lane].policy);
      expect(budget, lane).toMatchObject({ minimum: 1 });
      if (slides(lane)) expect(budget).toMatchObject({ maximum: 1_000 });
    }
  });

  it('of terminal tokens slides and counts addresses, and no other does', () => {
    const all = Object.keys(lanes) as Lane[];
    expect(all.filter(slides)).toEqual(['terminal']);
    expect(all.filter(countsAddresses)).toEqual(['terminal']);
  });
});
