import {
  allocationCreate,
  allocationPlan,
  type DeclaredEvent,
  provisioningQueued,
  provisioningRequested,
} from '@gpuaas/contract';
import { type Act, handlers, type Mounted, type WriteTx } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import { secondMs } from '../../../kernel/units.ts';
import type { AllocationParts } from '../parts.ts';
import { redact, sayWhy } from '../placement/explain.ts';
import { mayHoldMore, tellQuota } from '../quota/quota.ts';
import { ask } from '../sagas/ask.ts';
import { forMachine } from '../sagas/provision.ts';
import { type AllocationRow, findAllocation, insertAllocation, type Login } from '../store.ts';
import { costMinor, money, perHourMinor } from '../views/price.ts';
import { showAllocation, showPlanned } from '../views/show.ts';
import { writeBirths } from './births.ts';
import { makeClaim } from './claim.ts';
import { readOrder } from './order.ts';
import { type Resolved, resolveWish, type Wish } from './wish.ts';
import { findLogin } from './wish-store.ts';

const on = handlers<AllocationParts>();

const limitsOf = ({ policies, clock, taskSeconds }: AllocationParts, act: Act) => ({
  maxDurationHours: policies.number('allocation.max_duration_max_hours', act),
  imageCacheRequired: policies.value('allocation.image_cache_required', act),
  provisionSeconds: taskSeconds('provision'),
  endsAt: (seconds: number) => new Date(clock.now().getTime() + (taskSeconds('provision') + seconds) * secondMs),
});

const plan = on(allocationPlan, async (parts, act, { body }) =>
  parts.db.write(act, async (tx) => {
    const resolved = await resolveWish(tx, act, body, limitsOf(parts, act));
    if (resolved instanceof Fault) return tx.abandon(resolved);
    const decision = await parts.placer.plan(tx, resolved);
    const overQuota = await tellQuota(tx, parts.policies, act, body.gpus);
    const feasible = decision.chosen !== null && overQuota === undefined;
    const price = priceOf(resolved);
    const perHour = perHourMinor(price);
    const seconds = body.max_duration_seconds;
    return tx.commit(
      {
        feasible,
        message: overQuota ?? (decision.chosen ? 'Capacity available.' : sayWhy(decision)),
        price: {
          price_id: resolved.offer.price_id,
          unit: price.billing_unit,
          unit_price: money(price.unit_price_minor, price.currency),
          per_hour: money(perHour, price.currency),
        },
        projected: seconds === undefined ? null : money(costMinor(perHour, seconds), price.currency),
        profile: resolved.profile,
        decision: showPlanned(decision, parts.clock.now()),
      },
      {
        target: { type: 'project', id: act.projectId as string },
        change: { sku: body.sku, gpus: body.gpus, region: body.region, feasible },
        events: 'none',
      },
    );
  }),
);

const priceOf = ({ offer, wish }: Resolved) => ({
  billing_unit: offer.billing_unit,
  unit_price_minor: offer.unit_price_minor,
  currency: offer.currency,
  gpu_count: wish.gpus,
});

const create = on(allocationCreate, async (parts, act, { body: { queue, ...wish } }) =>
  parts.db.write(act, async (tx) => {
    // What neither needs the other's answer is asked at once.
    const [refused, prepared] = await Promise.all([
      mayHoldMore(tx, parts, act, { allocations: 1, gpus: wish.gpus }),
      prepare(tx, parts, act, wish),
    ]);
    if (refused) return tx.abandon(refused);
    if (prepared instanceof Fault) return tx.abandon(prepared);
    const made = await makeAllocations(tx, parts, act, [prepared], { maxWaitSeconds: queue?.max_wait_seconds });
    if (made instanceof Fault) return tx.abandon(made);
    const row = await findAllocation(tx, made.ids[0] ?? '');
    if (!row) throw new Error('an allocation was not stored');
    return tx.commit(showAllocation(row, parts.limits(act)), {
      target: { type: 'allocation', id: row.id },
      change: { sku: row.sku, gpus: row.gpu_count, region: row.region, placement_status: row.placement_status },
      events: made.events,
    });
  }),
);

/** A wish that stands up against the catalog, and who would log in. */
export interface Prepared {
  readonly resolved: Resolved;
  readonly login: Login;
}
export async function prepare(
  tx: WriteTx,
  parts: AllocationParts,
  act: Act,
  wish: Wish,
): Promise<Prepared | Exclude<Awaited<ReturnType<typeof resolveWish>>, Resolved>> {
  const [resolved, login] = await Promise.all([
    resolveWish(tx, act, wish, limitsOf(parts, act)),
    loginOf(tx, parts, act),
  ]);
  return resolved instanceof Fault ? resolved : { resolved, login };
}

export interface Made {
  readonly ids: readonly string[];
  readonly events: readonly DeclaredEvent[];
}
type Refusal = Fault<'sku_unavailable' | 'insufficient_balance' | 'duration_invalid'>;

/**
 * Allocations with their places, or one with a place in the queue, or a reason. Everything happens in the caller's
 * transaction, and each kind of row is written in one statement, however many there are.
 */
export async function makeAllocations(
  tx: WriteTx,
  parts: AllocationParts,
  act: Act,
  wanted: readonly Prepared[],
  how: { readonly groupId?: string; readonly maxWaitSeconds?: number | undefined },
): Promise<Made | Refusal> {
  const longestWait = parts.policies.number('allocation.queue_max_wait_seconds', act);
  if (how.maxWaitSeconds !== undefined && how.maxWaitSeconds > longestWait) {
    return new Fault('duration_invalid', `A request waits at most ${longestWait} seconds.`, {
      max_wait_seconds: longestWait,
    });
  }
  const organizationId = act.organizationId as string;
  const prices = wanted.map(({ resolved }) => priceOf(resolved));
  const poor = await parts.mayAfford(tx, {
    organizationId,
    perHour: prices.reduce((sum, price) => sum + perHourMinor(price), 0n),
    currency: prices[0]?.currency ?? '',
  });
  if (poor) return poor;
  const queueDeadlineAt = new Date(parts.clock.now().getTime() + (how.maxWaitSeconds ?? 0) * secondMs);
  const allocations = wanted.map((one) => ({
    ...drawUp(parts, act, one, how.groupId ?? null),
    // Also of one that has its place: its launch may fail, and be willing to wait for another host.
    queue_deadline_at: how.maxWaitSeconds === undefined ? null : queueDeadlineAt,
  }));
  const places = await parts.placer.place(
    tx,
    wanted.map(({ resolved }) => resolved),
    makeClaim(tx, parts.ids, allocations),
  );
  const missing = places.find(({ reservation }) => !reservation);
  if (missing && how.maxWaitSeconds === undefined) {
    return new Fault('sku_unavailable', sayWhy(missing.decision), redact(missing.decision));
  }
  const born = allocations.flatMap((allocation, at) => {
    const place = places[at];
    return place ? [{ allocation, place, keys: wanted[at]?.resolved.keys ?? [] }] : [];
  });
  for (const { allocation, place } of born) {
    if (place.reservation) continue;
    const queued = { placement_status: 'queued', node_id: null, generation: 0 } as const;
    await insertAllocation(tx, { ...allocation, ...queued });
  }
  const placed = born.filter(({ place }) => place.reservation).map(({ allocation: { id } }) => id);
  await Promise.all([writeBirths(tx, parts.ids, act, born), ...placed.map((id) => askForMachine(tx, parts, act, id))]);
  return {
    ids: allocations.map(({ id }) => id),
    events: born.map(({ allocation, place: { reservation } }) => {
      const { id, project_id, sku, gpu_count, region } = allocation;
      const version = reservation ? firstVersion + 1 : firstVersion;
      const about = { allocation_id: id, organization_id: organizationId, project_id, version };
      const what = { sku, gpu_count, region };
      return reservation
        ? provisioningRequested.of(id, {
            ...{ ...about, ...what, node_id: reservation.nodeId, generation: reservation.generation },
            simulated: reservation.simulated,
          })
        : provisioningQueued.of(id, { ...about, ...what, queue_deadline_at: queueDeadlineAt.toISOString() });
    }),
  };
}

const firstVersion = 1;

/** What has its place is being provisioned from its first moment: its node is asked in the transaction that found it. */
async function askForMachine(tx: WriteTx, parts: AllocationParts, act: Act, id: string): Promise<void> {
  const order = await readOrder(tx, id);
  const asked = order && (await ask(tx, parts, order, forMachine(parts), act));
  if (typeof asked !== 'string') throw new Error(`allocation ${id} has a place and cannot be asked for`);
}

/** What will be written down, but for its place. */
function drawUp(parts: AllocationParts, act: Act, { resolved, login }: Prepared, groupId: string | null) {
  const { offer, wish } = resolved;
  const id = parts.ids.next();
  return {
    id,
    organization_id: act.organizationId as string,
    project_id: act.projectId as string,
    group_id: groupId,
    name: wish.name ?? `${wish.sku}-${id.slice(-nameTail.length)}`,
    tags: wish.tags ?? {},
    requested_by: act.actorId,
    sku: wish.sku,
    capacity_shape: offer.capacity_shape,
    gpu_count: wish.gpus,
    region: wish.region,
    profile: resolved.profile,
    image_id: offer.image_id,
    price_id: offer.price_id,
    unit_price_minor: offer.unit_price_minor,
    currency: offer.currency,
    isolation_model: parts.policies.value('allocation.isolation_model', act) as AllocationRow['isolation_model'],
    login,
    max_duration_seconds: wish.max_duration_seconds ?? null,
    idle_minutes: wish.idle?.minutes ?? null,
    idle_action: wish.idle?.action ?? null,
    max_attempts: parts.policies.number('allocation.launch_retries', act) + 1,
  };
}

/** As long as the tail of an id that tells two allocations of one project apart at a glance. */
const nameTail = 'xxxxxx';

/** The requester on hosts. Ids of people begin after the base, so the base itself is free for whoever has none. */
async function loginOf(tx: WriteTx, { policies }: AllocationParts, act: Act): Promise<Login> {
  const found = await findLogin(tx, act.actorId);
  const base = policies.number('tenancy.posix_uid_base');
  return found ?? { username: 'gpuaas', uid: base, gid: base };
}

export const createRoutes = (parts: AllocationParts): Mounted[] => [plan, create].map((bind) => bind(parts));
