import { taxRates as rates, taxUnion as union } from '@gpuaas/contract';
import { describe, expect, it } from 'vitest';
import { decideTax, taxOn } from './decide.ts';

const german = { country: 'DE' };
const business = (country: string, taxId: string | null = 'X1') => ({ country, type: 'business' as const, taxId });
const consumer = (country: string) => ({ country, type: 'consumer' as const, taxId: null });

describe('how a sale is taxed', () => {
  it.each([
    ['a seller who is not registered charges none', undefined, consumer('DE'), 'not_registered', 0],
    ['a consumer at home pays the rate of the country', german, consumer('DE'), 'standard', 1_900],
    ['a business at home pays it too', german, business('DE'), 'standard', 1_900],
    ['a consumer of another country pays the rate there', german, consumer('FR'), 'standard', 2_000],
    ['a business of another country owes the tax itself', german, business('FR'), 'reverse_charge', 0],
    ['a business without a tax id is treated as a consumer', german, business('FR', null), 'standard', 2_000],
    ['a customer outside of the area pays none', german, business('US'), 'outside_scope', 0],
    ['a seller outside of the area charges none inside', { country: 'GB' }, consumer('FR'), 'outside_scope', 0],
    ['a customer without details counts as a consumer at home', german, undefined, 'standard', 1_900],
    ['a country without such a tax has none', { country: 'US' }, consumer('US'), 'outside_scope', 0],
  ] as const)('%s', (_, seller, customer, treatment, rateBasisPoints) => {
    expect(decideTax({ seller, customer }, '2026-03-01')).toMatchObject({ treatment, rateBasisPoints });
  });

  it('takes the rate of the day', () => {
    const at = (day: string) => decideTax({ seller: german, customer: consumer('SK') }, day).rateBasisPoints;
    expect([at('2024-12-31'), at('2025-01-01')]).toEqual([2_000, 2_300]);
  });

  it('rounds half up, and alike below zero', () => {
    expect([taxOn(1_000n, 1_900), taxOn(3n, 1_900), taxOn(50n, 810), taxOn(-3n, 1_900), taxOn(0n, 1_900)]).toEqual([
      ...[190n, 1n, 4n, -1n, 0n],
    ]);
  });

  it('has a rate for every country of the area, in the order of their days', () => {
    expect([...union].filter((country) => !rates.some((each) => each.country === country))).toEqual([]);
    for (const country of new Set(rates.map((each) => each.country))) {
      const days = rates.filter((each) => each.country === country).map((each) => each.from);
      expect(days).toEqual([...new Set(days)].sort());
    }
  });
});
