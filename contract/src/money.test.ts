import { expect, it } from 'vitest';
import { showMoney } from './money.ts';

it.each([
  [2500n, 'USD', '25.00 USD'],
  [5n, 'EUR', '0.05 EUR'],
  [-1205n, 'USD', '-12.05 USD'],
  [0n, 'USD', '0.00 USD'],
  [1200n, 'JPY', '1200 JPY'],
  [90_071_992_547_409_931n, 'USD', '900719925474099.31 USD'],
])('%s minor units of %s are shown as %s', (amount, currency, text) => {
  expect(showMoney(amount, currency)).toBe(text);
});
