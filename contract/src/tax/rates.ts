/**
 * Standard rates of value added tax by country, in hundredths of a per cent, each from a day on. This file is the only place that
 * knows them: a new rate is a new row with the day it begins, so that documents of the past keep theirs. Compute is
 * taxed at the standard rate everywhere here.
 */
export interface TaxRate {
  readonly country: string;
  readonly from: string;
  readonly basisPoints: number;
}
const rate = (country: string, from: string, basisPoints: number): TaxRate => ({ country, from, basisPoints });

/** Countries that share one value added tax system: sales between their businesses are taxed by the buyer. */
export const taxUnion: ReadonlySet<string> = new Set(
  'AT BE BG HR CY CZ DK EE FI FR DE GR HU IE IT LV LT LU MT NL PL PT RO SK SI ES SE'.split(' '),
);

export const taxRates: readonly TaxRate[] = [
  rate('AT', '2024-01-01', 2_000),
  rate('BE', '2024-01-01', 2_100),
  rate('BG', '2024-01-01', 2_000),
  rate('HR', '2024-01-01', 2_500),
  rate('CY', '2024-01-01', 1_900),
  rate('CZ', '2024-01-01', 2_100),
  rate('DK', '2024-01-01', 2_500),
  rate('EE', '2024-01-01', 2_200),
  rate('EE', '2025-07-01', 2_400),
  rate('FI', '2024-01-01', 2_400),
  rate('FI', '2024-09-01', 2_550),
  rate('FR', '2024-01-01', 2_000),
  rate('DE', '2024-01-01', 1_900),
  rate('GR', '2024-01-01', 2_400),
  rate('HU', '2024-01-01', 2_700),
  rate('IE', '2024-01-01', 2_300),
  rate('IT', '2024-01-01', 2_200),
  rate('LV', '2024-01-01', 2_100),
  rate('LT', '2024-01-01', 2_100),
  rate('LU', '2024-01-01', 1_700),
  rate('MT', '2024-01-01', 1_800),
  rate('NL', '2024-01-01', 2_100),
  rate('PL', '2024-01-01', 2_300),
  rate('PT', '2024-01-01', 2_300),
  rate('RO', '2024-01-01', 1_900),
  rate('RO', '2025-08-01', 2_100),
  rate('SK', '2024-01-01', 2_000),
  rate('SK', '2025-01-01', 2_300),
  rate('SI', '2024-01-01', 2_200),
  rate('ES', '2024-01-01', 2_100),
  rate('SE', '2024-01-01', 2_500),
  rate('GB', '2024-01-01', 2_000),
  rate('CH', '2024-01-01', 810),
  rate('NO', '2024-01-01', 2_500),
];
