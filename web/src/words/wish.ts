import type { CatalogItem } from '@gpuaas/sdk';
import { type Amount, spellMoney, timesAmount } from './money.ts';
import { counted } from './sizes.ts';

/** A launch request, and what can be said about it without a call. */

export const priceIn = (item: CatalogItem, region: string | undefined): Amount | undefined =>
  (item.prices.find((price) => price.region === region) ?? item.prices.find((price) => price.region === null))
    ?.unit_price;

/** The hourly price: slices by GPU, whole hosts by host. */
export function hourly(item: CatalogItem, region: string | undefined, gpus: number): Amount | undefined {
  const price = priceIn(item, region);
  return price && (item.billing_unit === 'gpu_hour' ? timesAmount(price, gpus) : price);
}

export const stockOf = (item: CatalogItem, region: string | undefined, gpus: number): number =>
  item.availability
    .filter((entry) => entry.gpu_count === gpus && (region === undefined || entry.region === region))
    .reduce((sum, { available }) => sum + available, 0);

/** Whether any host of this SKU exists. Without one, the queue would never end. */
export const hasHosts = (item: CatalogItem): boolean => item.availability.length > 0;
export const hasStock = (item: CatalogItem): boolean => item.availability.some(({ available }) => available > 0);
const firstHour = (item: CatalogItem): number =>
  Number(hourly(item, undefined, item.allowed_gpu_counts[0] ?? 1)?.amount_minor ?? Number.MAX_SAFE_INTEGER);
/** Available SKUs first, then the cheapest. */
export const byReach = (a: CatalogItem, b: CatalogItem): number =>
  Number(hasStock(b)) - Number(hasStock(a)) || firstHour(a) - firstHour(b);

const totalIn = (item: CatalogItem, region: string): number =>
  item.availability.filter((entry) => entry.region === region).reduce((sum, { available }) => sum + available, 0);
/** The region with the most free capacity. */
export const bestRegion = (item: CatalogItem | undefined, regions: readonly string[]): string | undefined =>
  item && [...regions].sort((a, b) => totalIn(item, b) - totalIn(item, a))[0];

/** `$9.00 per hour. With a limit of 3 h it costs at most $27.00.` */
export function priceSentence(perHour: Amount | undefined, hours: number | undefined): string {
  if (!perHour) return 'No price is set for this region yet.';
  const rate = `${spellMoney(perHour)} per hour, from when the host has verified the GPUs.`;
  if (hours === undefined) return `${rate} It runs until you release it.`;
  return `${rate} With a limit of ${counted(hours, 'hour')} it costs at most ${spellMoney(timesAmount(perHour, hours))}.`;
}

/** Two words and a number: easy to say, hard to confuse. */
export function inventName(random: () => number = Math.random): string {
  const pick = (words: readonly string[]) => words[Math.floor(random() * words.length)] ?? words[0];
  const first = ['amber', 'bold', 'calm', 'clear', 'deep', 'fair', 'keen', 'quiet', 'silver', 'swift', 'vivid', 'warm'];
  const second = ['brook', 'cedar', 'comet', 'crane', 'ember', 'falcon', 'harbor', 'lynx', 'meadow', 'otter', 'pine'];
  return `${pick(first)}-${pick(second)}-${Math.floor(random() * 90) + 10}`;
}
