import { taxRates } from '@gpuaas/contract';
import { describe, expect, it } from 'vitest';
import { knownIds, objectToTaxId } from './ids.ts';

/** One real form of each country, with check digits that fit. */
const good: Readonly<Record<string, string>> = {
  AT: 'ATU13585627',
  BE: 'BE0428759497',
  BG: 'BG175074752',
  HR: 'HR33392005961',
  CY: 'CY10259033P',
  CZ: 'CZ25123891',
  DK: 'DK13585628',
  EE: 'EE100931558',
  FI: 'FI20774740',
  FR: 'FR40303265045',
  DE: 'DE123456788',
  GR: 'EL094259216',
  HU: 'HU12892312',
  IE: 'IE6433435F',
  IT: 'IT00743110157',
  LV: 'LV40003521600',
  LT: 'LT119511515',
  LU: 'LU15027442',
  MT: 'MT11679112',
  NL: 'NL004495445B01',
  PL: 'PL8567346215',
  PT: 'PT501964843',
  RO: 'RO18547290',
  SK: 'SK2022749619',
  SI: 'SI50223054',
  ES: 'ESB58378431',
  SE: 'SE556188840401',
  GB: 'GB980780684',
  CH: 'CHE107787577MWST',
  NO: 'NO995525828MVA',
};
const countries = Object.keys(good);

describe('a tax id', () => {
  it('is known for each country of the table of rates', () => {
    expect(knownIds.map(({ country }) => country).sort()).toEqual(
      [...new Set(taxRates.map((rate) => rate.country))].sort(),
    );
    expect(countries.sort()).toEqual(knownIds.map(({ country }) => country).sort());
  });

  it.each(countries)('of %s is taken with its check digits, and refused with others', (country) => {
    const id = good[country] ?? '';
    expect(objectToTaxId(country, id)).toBeUndefined();
    expect(objectToTaxId(country, id.toLowerCase().replace(/(\d{3})/, '$1 '))).toBeUndefined();
    const digits = [...id.matchAll(/\d/g)].map(({ index }) => index);
    const others = digits.map((at) => id.slice(0, at) + ((Number(id[at]) + 1) % 10) + id.slice(at + 1));
    const refused = others.filter((each) => objectToTaxId(country, each) !== undefined);
    // A few numbers have digits that no check covers, or two ways to be right.
    expect(refused.length).toBeGreaterThan(others.length / 2);
  });

  it('says what is wrong', () => {
    expect(objectToTaxId('DE', 'DE123456789')).toContain('check digits are wrong');
    expect(objectToTaxId('GR', 'GR094259216')).toContain('begins with EL');
    expect(objectToTaxId('DE', 'FR40303265045')).toContain('begins with DE');
  });

  it('of a country that the table does not have is taken as it is', () => {
    expect(objectToTaxId('US', '12-3456789')).toBeUndefined();
  });
});
