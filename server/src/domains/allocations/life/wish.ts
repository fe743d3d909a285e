import type { wishErrors } from '@gpuaas/contract';
import type { Act, ReadTx } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import { secondsPerHour } from '../facts.ts';
import type { Alternatives, PlacementRequest } from '../placement/model.ts';
import type { AllocationRow } from '../store.ts';
import { findKeys, type KeyRow, listAlternatives, type OfferRow, readOffer } from './wish-store.ts';

/** What somebody asks for, as the contract has it. */
export interface Wish {
  readonly sku: string;
  readonly gpus: number;
  readonly region: string;
  readonly name?: string;
  readonly ssh_key_ids?: readonly string[];
  readonly image?: string;
  readonly max_duration_seconds?: number;
  readonly idle?: { readonly minutes: number; readonly action: 'warn' | 'release' };
  readonly tags?: Readonly<Record<string, string>>;
}
/** A wish against the catalog: what it would be, what it would cost, and what the fleet is asked for. */
export interface Resolved {
  readonly wish: Wish;
  readonly offer: OfferRow;
  readonly profile: AllocationRow['profile'];
  readonly keys: readonly KeyRow[];
  readonly request: PlacementRequest;
  readonly alternatives: () => Promise<Alternatives>;
}
type Refusal = Fault<(typeof wishErrors)[number]>;

/** Everything that can be said about a wish before anybody looks for a place. */
export async function resolveWish(
  tx: ReadTx,
  act: Act,
  wish: Wish,
  limits: {
    readonly maxDurationHours: number;
    readonly imageCacheRequired: boolean;
    /** When it will have ended if it lasts so long. */
    readonly endsAt: (seconds: number) => Date;
    /** How long a launch may take. */
    readonly provisionSeconds: number;
  },
): Promise<Resolved | Refusal> {
  const of = { organizationId: act.organizationId as string, projectId: act.projectId as string };
  const offer = await readOffer(tx, of, wish);
  if (!offer) return new Fault('project_not_found', 'There is no such object.');
  if (!offer.sku) return new Fault('sku_not_found', `There is no SKU ${wish.sku} on offer.`);
  if (!offer.region) return new Fault('region_not_found', `There is no region ${wish.region}.`);
  if (!offer.price_id) return new Fault('sku_not_found', `${wish.sku} has no price in ${offer.currency}.`);
  const counts = offer.allowed_gpu_counts;
  if (!counts.includes(wish.gpus)) {
    return new Fault('gpu_count_invalid', `${wish.sku} is sold in counts of ${counts.join(', ')}, not ${wish.gpus}.`, {
      allowed_gpu_counts: counts,
    });
  }
  if (!offer.image_id && (wish.image !== undefined || offer.capacity_shape === 'gpu_slice')) {
    return new Fault('os_image_not_found', `There is no image ${wish.image ?? 'at all'} for ${wish.sku}.`);
  }
  const longest = limits.maxDurationHours * secondsPerHour;
  if (wish.max_duration_seconds !== undefined && wish.max_duration_seconds > longest) {
    return new Fault('duration_invalid', `An allocation lasts at most ${limits.maxDurationHours} hours.`, {
      max_duration_seconds: longest,
    });
  }
  const wanted = wish.ssh_key_ids ?? [];
  const keys = wanted.length > 0 ? await findKeys(tx, wanted, act.actorId, act.projectId as string) : [];
  if (keys.length !== wanted.length) return absentKey();
  const fabric = (offer.resource_profile.fabric ?? 'none') !== 'none';
  const isSlice = offer.capacity_shape === 'gpu_slice';
  const profile = offer.resource_profile.slice_vm_profiles?.find(({ gpus }) => gpus === wish.gpus);
  if (isSlice && !profile) {
    return new Fault('gpu_count_invalid', `${wish.sku} has no machine of ${wish.gpus} GPUs.`, {
      allowed_gpu_counts: counts,
    });
  }
  return {
    wish,
    offer,
    profile: isSlice && profile ? { name: profile.name, vcpus: profile.vcpus, memory_mib: profile.memory_mib } : null,
    keys,
    request: {
      sku: wish.sku,
      shape: offer.capacity_shape,
      gpus: wish.gpus,
      region: wish.region,
      fabric: isSlice && fabric,
      nvme: isSlice,
      image: isSlice && offer.image_id ? { id: offer.image_id, mustBeCached: limits.imageCacheRequired } : undefined,
      provisionSeconds: limits.provisionSeconds,
      endsAt:
        wish.max_duration_seconds === undefined ? undefined : limits.endsAt(wish.max_duration_seconds).toISOString(),
    },
    alternatives: async () => ({
      counts,
      skus: (await listAlternatives(tx, offer.gpu_model, wish.sku, wish.gpus)).map((other) => ({
        sku: other.sku,
        shape: other.shape,
        fabric: other.shape === 'gpu_slice' && (other.fabric ?? 'none') !== 'none',
        nvme: other.shape === 'gpu_slice',
      })),
    }),
  };
}

/** A key of somebody else's is as absent as one that never was. */
export const absentKey = () =>
  new Fault('ssh_key_not_found', 'One of these SSH keys is neither yours nor the project’s.');
