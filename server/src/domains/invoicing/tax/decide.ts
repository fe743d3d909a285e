import { taxRates, taxUnion } from '@gpuaas/contract';
import { basisPointsOfAll, halfOfAll } from '../facts.ts';

export interface Treated {
  readonly treatment: 'standard' | 'reverse_charge' | 'outside_scope' | 'not_registered';
  /** Whose rate it is. */
  readonly country: string | null;
  readonly rateBasisPoints: number;
  readonly note: string | null;
}
export interface Sides {
  readonly seller: { readonly country: string } | undefined;
  readonly customer:
    | { readonly country: string; readonly type: 'business' | 'consumer'; readonly taxId: string | null }
    | undefined;
}

/**
 * How a sale is taxed on a day (UTC). A seller that finance has not entered is not registered and charges none. A customer who
 * gave no details is treated as a consumer in the country of the seller, so that nobody avoids tax by saying nothing.
 */
export function decideTax({ seller, customer }: Sides, day: string): Treated {
  if (!seller) return { treatment: 'not_registered', country: null, rateBasisPoints: 0, note: null };
  const place = customer?.country ?? seller.country;
  const isBusiness = customer?.type === 'business' && customer.taxId !== null;
  if (place === seller.country) return standard(place, day);
  if (!taxUnion.has(seller.country) || !taxUnion.has(place)) {
    const note = 'Not taxed here: the customer is in another tax area.';
    return { treatment: 'outside_scope', country: place, rateBasisPoints: 0, note };
  }
  if (!isBusiness) return standard(place, day);
  const note = 'Reverse charge: the customer owes the tax (Article 196 of Directive 2006/112/EC).';
  return { treatment: 'reverse_charge', country: place, rateBasisPoints: 0, note };
}

/** A country without a row charges no such tax. */
function standard(country: string, day: string): Treated {
  const current = taxRates.filter((each) => each.country === country && each.from <= day).at(-1);
  return {
    ...{ treatment: current ? 'standard' : 'outside_scope', country, rateBasisPoints: current?.basisPoints ?? 0 },
    note: null,
  };
}

/** The tax on a net amount, rounded half up to whole minor units; of a negative amount, the same below zero. */
export function taxOn(net: bigint, rateBasisPoints: number): bigint {
  const size = net < 0n ? -net : net;
  const tax = (size * BigInt(rateBasisPoints) + halfOfAll) / basisPointsOfAll;
  return net < 0n ? -tax : tax;
}
