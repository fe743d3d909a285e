import {
  allocationCreate,
  allocationPlan,
  type DeclaredEvent,
  provisioningQueued,
  provisioningRequested,
} from '@gpuaas/contract';
import { type Act, handlers, type Mounted, type WriteTx } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import { secondMs } from '../../kernel/units.ts';
import { insertTimeline } from './machine-store.ts';
import type { AllocationParts } from './parts.ts';
import { redact, sayWhy } from './placement/explain.ts';
import { costMinor, money, perHourMinor } from './price.ts';
import { showAllocation, showPlanned } from './show.ts';
import { claimSlots } from './slots.ts';
import {
  type AllocationRow,
  countHeld,
  findAllocation,
  insertAllocation,
  insertDecision,
  type Login,
} from './store.ts';
import { type Resolved, resolveWish, type Wish } from './wish.ts';
import { findLogin, insertKeys } from './wish-store.ts';

const on = handlers<AllocationParts>();

const limitsOf = ({ policies }: AllocationParts, act: Act) => ({
  maxDurationHours: policies.number('allocation.max_duration_max_hours', act),
  imageCacheRequired: policies.value('allocation.image_cache_required', act),
});

const plan = on(allocationPlan, async (parts, act, { body }) =>
  parts.db.write(act, async (tx) => {
    const resolved = await resolveWish(tx, act, body, limitsOf(parts, act));
    if (resolved instanceof Fault) return tx.abandon(resolved);
    const decision = await parts.placer.plan(tx, resolved);
    const price = priceOf(resolved);
    const perHour = perHourMinor(price);
    const seconds = body.max_duration_seconds;
    return tx.commit(
      {
        feasible: decision.chosen !== null,
        message: decision.chosen ? 'It would fit now.' : sayWhy(decision),
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
        change: { sku: body.sku, gpus: body.gpus, region: body.region, feasible: decision.chosen !== null },
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
    const refused = await mayHoldMore(tx, parts, act, 1);
    if (refused) return tx.abandon(refused);
    const made = await makeAllocation(tx, parts, act, wish, { maxWaitSeconds: queue?.max_wait_seconds });
    if (made instanceof Fault) return tx.abandon(made);
    const row = await findAllocation(tx, made.id);
    if (!row) throw new Error('an allocation was not stored');
    return tx.commit(showAllocation(row, parts.limits(act)), {
      target: { type: 'allocation', id: made.id },
      change: { sku: row.sku, gpus: row.gpu_count, region: row.region, placement_status: row.placement_status },
      events: made.events,
    });
  }),
);

/** Whether the caller may hold so many more. Whoever else asks in the same name waits for the answer. */
export async function mayHoldMore(
  tx: WriteTx,
  { policies }: AllocationParts,
  act: Act,
  more: number,
): Promise<Fault<'allocation_concurrency_limit'> | undefined> {
  const most = policies.number('allocation.max_concurrent_per_user', act);
  const held = await countHeld(tx, act.organizationId as string, act.actorId);
  if (held + more <= most) return undefined;
  return new Fault('allocation_concurrency_limit', `You hold ${held} allocations, and at most ${most} are allowed.`, {
    held,
    limit: most,
  });
}

export interface Made {
  readonly id: string;
  readonly events: readonly DeclaredEvent[];
}
type Refusal =
  | Exclude<Awaited<ReturnType<typeof resolveWish>>, Resolved>
  | Fault<'sku_unavailable' | 'insufficient_balance' | 'duration_invalid'>;

/** One allocation with a place, or with a place in the queue, or a reason. Everything happens in the caller's transaction. */
export async function makeAllocation(
  tx: WriteTx,
  parts: AllocationParts,
  act: Act,
  wish: Wish,
  how: { readonly groupId?: string; readonly maxWaitSeconds?: number | undefined },
): Promise<Made | Refusal> {
  const resolved = await resolveWish(tx, act, wish, limitsOf(parts, act));
  if (resolved instanceof Fault) return resolved;
  const longestWait = parts.policies.number('allocation.queue_max_wait_seconds', act);
  if (how.maxWaitSeconds !== undefined && how.maxWaitSeconds > longestWait) {
    return new Fault('duration_invalid', `A request waits at most ${longestWait} seconds.`, {
      max_wait_seconds: longestWait,
    });
  }
  const price = priceOf(resolved);
  const organizationId = act.organizationId as string;
  const poor = await parts.mayAfford(tx, { organizationId, perHour: perHourMinor(price), currency: price.currency });
  if (poor) return poor;
  const id = parts.ids.next();
  const { decision, reservation } = await parts.placer.place(tx, { ...resolved, allocationId: id });
  if (!reservation && how.maxWaitSeconds === undefined) {
    return new Fault('sku_unavailable', sayWhy(decision), redact(decision));
  }
  const queueDeadlineAt =
    reservation || how.maxWaitSeconds === undefined
      ? null
      : new Date(parts.clock.now().getTime() + how.maxWaitSeconds * secondMs);
  const { offer } = resolved;
  await insertAllocation(tx, {
    id,
    organization_id: organizationId,
    project_id: act.projectId as string,
    group_id: how.groupId ?? null,
    name: wish.name ?? `${wish.sku}-${id.slice(-nameTail.length)}`,
    tags: wish.tags ?? {},
    requested_by: act.actorId,
    placement_status: reservation ? 'reserved' : 'queued',
    sku: wish.sku,
    capacity_shape: offer.capacity_shape,
    gpu_count: wish.gpus,
    region: wish.region,
    profile: resolved.profile,
    image_id: offer.image_id,
    price_id: offer.price_id,
    unit_price_minor: offer.unit_price_minor,
    currency: offer.currency,
    node_id: reservation?.nodeId ?? null,
    generation: reservation?.generation ?? 0,
    isolation_model: parts.policies.value('allocation.isolation_model', act) as AllocationRow['isolation_model'],
    login: await loginOf(tx, parts, act),
    max_duration_seconds: wish.max_duration_seconds ?? null,
    idle_minutes: wish.idle?.minutes ?? null,
    idle_action: wish.idle?.action ?? null,
    queue_deadline_at: queueDeadlineAt,
  });
  const outcome = reservation ? 'placed' : 'queued';
  const timeline = (name: string, kind: 'transition' | 'note', detail: object) =>
    tx.run(insertTimeline, [
      ...[parts.ids.next(), id, kind, name, null, kind === 'transition' ? 'requested' : null],
      ...[kind === 'transition' ? 1 : null, JSON.stringify(detail), act.correlationId],
    ]);
  await timeline('request', 'transition', { sku: wish.sku, gpus: wish.gpus, region: wish.region });
  await timeline(reservation ? 'placement_reserved' : 'queued', 'note', redact(decision));
  await insertDecision(tx, { id: parts.ids.next(), allocationId: id, organizationId, outcome, document: decision });
  if (resolved.keys.length > 0) await insertKeys(tx, id, organizationId, resolved.keys);
  const about = {
    ...{ allocation_id: id, organization_id: organizationId, project_id: act.projectId as string, version: 1 },
    ...{ sku: wish.sku, gpu_count: wish.gpus, region: wish.region },
  };
  if (!reservation) {
    const deadline = queueDeadlineAt?.toISOString() ?? '';
    return { id, events: [provisioningQueued.of(id, { ...about, queue_deadline_at: deadline })] };
  }
  const kind = offer.capacity_shape === 'baremetal' ? 'node_exclusive' : 'slot';
  await claimSlots(tx, { ...reservation, ids: parts.ids, allocationId: id, organizationId, kind });
  const { nodeId, generation } = reservation;
  return { id, events: [provisioningRequested.of(id, { ...about, node_id: nodeId, generation })] };
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
