import { type launchErrors, showMoney } from '@gpuaas/contract';
import type { Act, InProject, ReadTx } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import { secondsPerHour } from '../facts.ts';
import type { LockedPrice } from '../parts.ts';
import type { Alternatives, PlacementRequest } from '../placement/model.ts';
import type { AllocationRow } from '../store.ts';
import { perHourMinor } from '../views/price.ts';
import { findKeys, type KeyRow, listAlternatives, type OfferRow, readOffer } from './launch-store.ts';

/** A request for one allocation, as the contract declares it. */
export interface LaunchRequest {
  readonly sku: string;
  readonly gpus: number;
  readonly region: string;
  readonly name?: string;
  readonly ssh_key_ids?: readonly string[];
  readonly image?: string;
  readonly max_duration_seconds?: number;
  readonly max_spend?: { readonly amount_minor: string; readonly currency: string };
  readonly idle?: { readonly minutes: number; readonly action: 'warn' | 'release' };
  readonly tags?: Readonly<Record<string, string>>;
}
/** A launch request with its offer in the catalog, its price, its keys, and what placement has to find for it. */
export interface ResolvedLaunch {
  readonly launch: LaunchRequest;
  readonly offer: OfferRow;
  readonly profile: AllocationRow['profile'];
  readonly keys: readonly KeyRow[];
  readonly request: PlacementRequest;
  readonly alternatives: () => Promise<Alternatives>;
  /** How long it lasts at most: the shorter of its longest duration and of what its cap pays for. */
  readonly seconds: number | undefined;
  /** What of the cap ends it; undefined when it has none, or when nothing is charged. */
  readonly maxSpend: bigint | undefined;
}
/** What bounds a launch, beside the catalog. */
export interface LaunchLimits {
  readonly maxDurationHours: number;
  readonly imageCacheRequired: boolean;
  readonly endsAt: (seconds: number) => Date;
  /** How long a launch may take. */
  readonly provisionSeconds: number;
  /** The length of one accrual window: a cap pays for at least one. */
  readonly windowSeconds: number;
}
type Refusal = Fault<(typeof launchErrors)[number]>;

/** Checks a launch request against the catalog, before a place is looked for. */
export async function resolveLaunch(
  tx: ReadTx,
  act: Act & InProject,
  launch: LaunchRequest,
  limits: LaunchLimits,
  locked?: LockedPrice,
): Promise<ResolvedLaunch | Refusal> {
  const of = { organizationId: act.organizationId, projectId: act.projectId };
  const found = await readOffer(tx, of, launch);
  const offer =
    found && locked ? { ...found, price_id: locked.priceId, unit_price_minor: locked.unitPriceMinor } : found;
  if (!offer) return new Fault('project_not_found', 'There is no such object.');
  if (!offer.sku) return new Fault('sku_not_found', `There is no SKU ${launch.sku} on offer.`);
  if (!offer.region) return new Fault('region_not_found', `There is no region ${launch.region}.`);
  if (!offer.price_id) return new Fault('sku_not_found', `${launch.sku} has no price in ${offer.currency}.`);
  const counts = offer.allowed_gpu_counts;
  if (!counts.includes(launch.gpus)) {
    return new Fault(
      'gpu_count_invalid',
      `${launch.sku} is sold in counts of ${counts.join(', ')}, not ${launch.gpus}.`,
      {
        allowed_gpu_counts: counts,
      },
    );
  }
  if (!offer.image_id && (launch.image !== undefined || offer.capacity_shape === 'gpu_slice')) {
    return new Fault('os_image_not_found', `There is no image ${launch.image ?? 'at all'} for ${launch.sku}.`);
  }
  const longest = limits.maxDurationHours * secondsPerHour;
  if (launch.max_duration_seconds !== undefined && launch.max_duration_seconds > longest) {
    return new Fault('duration_invalid', `An allocation lasts at most ${limits.maxDurationHours} hours.`, {
      max_duration_seconds: longest,
    });
  }
  const cap = capOf(launch, offer, limits);
  if (cap instanceof Fault) return cap;
  const seconds = cap === undefined ? launch.max_duration_seconds : shorter(cap.seconds, launch.max_duration_seconds);
  const wanted = launch.ssh_key_ids ?? [];
  const keys = wanted.length > 0 ? await findKeys(tx, wanted, act.actorId, act.projectId) : [];
  if (keys.length !== wanted.length) return absentKey();
  const fabric = (offer.resource_profile.fabric ?? 'none') !== 'none';
  const isSlice = offer.capacity_shape === 'gpu_slice';
  const profile = offer.resource_profile.slice_vm_profiles?.find(({ gpus }) => gpus === launch.gpus);
  if (isSlice && !profile) {
    return new Fault('gpu_count_invalid', `${launch.sku} has no machine of ${launch.gpus} GPUs.`, {
      allowed_gpu_counts: counts,
    });
  }
  return {
    launch,
    offer,
    profile: isSlice && profile ? { name: profile.name, vcpus: profile.vcpus, memory_mib: profile.memory_mib } : null,
    keys,
    request: {
      sku: launch.sku,
      shape: offer.capacity_shape,
      gpus: launch.gpus,
      region: launch.region,
      fabric: isSlice && fabric,
      nvme: isSlice,
      image: isSlice && offer.image_id ? { id: offer.image_id, mustBeCached: limits.imageCacheRequired } : undefined,
      provisionSeconds: limits.provisionSeconds,
      endsAt: seconds === undefined ? undefined : limits.endsAt(seconds).toISOString(),
    },
    seconds,
    maxSpend: cap?.amount,
    alternatives: async () => ({
      counts,
      skus: (await listAlternatives(tx, offer.gpu_model, launch.sku, launch.gpus)).map((other) => ({
        sku: other.sku,
        shape: other.shape,
        fabric: other.shape === 'gpu_slice' && (other.fabric ?? 'none') !== 'none',
        nvme: other.shape === 'gpu_slice',
      })),
    }),
  };
}

const shorter = (a: number, b: number | undefined): number => (b === undefined ? a : Math.min(a, b));

/**
 * How long a cap on spending lasts. Seconds are rounded down, and charges are rounded from the exact price of the whole, so what
 * these seconds cost is never more than the cap.
 */
function capOf(
  launch: LaunchRequest,
  offer: OfferRow,
  limits: LaunchLimits,
):
  | { readonly amount: bigint; readonly seconds: number }
  | undefined
  | Fault<'currency_mismatch' | 'max_spend_too_low'> {
  if (!launch.max_spend) return undefined;
  const { currency } = offer;
  if (launch.max_spend.currency !== currency) {
    return new Fault('currency_mismatch', `The account is in ${currency}, not ${launch.max_spend.currency}.`);
  }
  const perHour = perHourMinor({ ...offer, gpu_count: launch.gpus });
  if (perHour === 0n) return undefined;
  const amount = BigInt(launch.max_spend.amount_minor);
  const seconds = lastsFor(amount, perHour);
  if (seconds < BigInt(limits.windowSeconds)) {
    const hour = BigInt(secondsPerHour);
    const least = (perHour * BigInt(limits.windowSeconds) + hour - 1n) / hour;
    return new Fault(
      'max_spend_too_low',
      `${showMoney(amount, currency)} lasts for ${seconds} seconds at ${showMoney(perHour, currency)} per hour. A cap pays for at least one window of ${limits.windowSeconds} seconds: ${showMoney(least, currency)}.`,
      { least: { amount_minor: least.toString(), currency }, window_seconds: limits.windowSeconds },
    );
  }
  const longest = limits.maxDurationHours * secondsPerHour;
  return { amount, seconds: Math.min(Number(seconds), longest) };
}
/** Whole seconds that an amount pays for. */
export const lastsFor = (amount: bigint, perHour: bigint): bigint => (amount * BigInt(secondsPerHour)) / perHour;

/** Keys of others are answered as keys that do not exist. */
export const absentKey = () =>
  new Fault('ssh_key_not_found', 'One of these SSH keys is neither yours nor the project’s.');
