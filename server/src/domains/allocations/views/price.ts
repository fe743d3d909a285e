import type { Money } from '@gpuaas/contract';
import { secondsPerHour } from '../facts.ts';

export interface Priced {
  readonly billing_unit: 'gpu_hour' | 'node_hour';
  readonly unit_price_minor: bigint;
  readonly currency: string;
  readonly gpu_count: number;
}

/** A whole node is one unit of its hour; anything else has as many units as GPUs. */
export const perHourMinor = ({ billing_unit, unit_price_minor, gpu_count }: Priced): bigint =>
  billing_unit === 'node_hour' ? unit_price_minor : unit_price_minor * BigInt(gpu_count);

/** What a length of time costs, rounded half up to a minor unit once, at the end. */
export function costMinor(perHour: bigint, seconds: number): bigint {
  const hour = BigInt(secondsPerHour);
  const total = perHour * BigInt(seconds);
  const whole = total / hour;
  return (total % hour) * (1n + 1n) >= hour ? whole + 1n : whole;
}
export const money = (amount: bigint, currency: string): Money => ({ amount_minor: amount.toString(), currency });

/** The hourly prices of several allocations added up, one amount for each currency. */
export function addPerHour(rows: readonly Priced[]): Money[] {
  const sums = new Map<string, bigint>();
  for (const row of rows) sums.set(row.currency, (sums.get(row.currency) ?? 0n) + perHourMinor(row));
  return [...sums].map(([currency, amount]) => money(amount, currency));
}
