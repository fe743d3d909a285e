import type { AllocationDetail, PlacementChange, PlacementDecision, TimelineItem } from '@gpuaas/sdk';
import { plain, showDuration, showMoney, showTime } from './value.ts';

/** Events in words. */
export function sentenceOf({ kind, name, from_state, to_state, detail }: TimelineItem): string {
  const words = plain(name.replaceAll('_', ' '));
  switch (kind) {
    case 'transition':
      if (from_state === 'requested' && to_state === 'released') return 'cancelled before a host was assigned';
      return from_state === null ? `${to_state}` : `${from_state} → ${to_state}`;
    case 'phase':
      return words;
    case 'task':
      if (name === 'allocation.extend_lease' && typeof detail['expires_at'] === 'string') {
        return `extended to ${showTime(detail['expires_at'])}`;
      }
      return `the node was asked: ${words}${typeof detail['state'] === 'string' ? ` (${plain(detail['state'])})` : ''}`;
    default:
      return words;
  }
}

const many = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

/** The state and its cause in one sentence. */
export function causeOf(allocation: AllocationDetail, decision: PlacementDecision | undefined): string {
  const { state, failure, queue, release_reason, receipt, active_at, sku, gpu_count } = allocation;
  if (failure) return `It is ${state} because ${lower(failure.reason)} (${failure.code}).`;
  if (queue) {
    const start = queue.expected_start_at ? ` It should start by ${showTime(queue.expected_start_at)}.` : '';
    return `It is queued because ${lower(queue.reason)}; position ${queue.position}, expires at ${showTime(queue.deadline_at)}.${start}`;
  }
  if (state === 'released' && !allocation.provisioning_started_at && release_reason === 'user') {
    return 'It left the queue: its owner cancelled it before a host was assigned.';
  }
  if (state === 'released' || state === 'releasing') {
    return `It is ${state} ${releaseCause(release_reason)}.`;
  }
  if (state === 'active' && allocation.stop) return stopCause(allocation.stop);
  if (state === 'active') {
    const proof = receipt?.passed
      ? ` because its host proved ${many(receipt.gpus, 'GPU')} with driver ${plain(receipt.driver_version)}`
      : '';
    return `It is active${active_at ? ` since ${showTime(active_at)}` : ''}${proof}.`;
  }
  const placed = decision?.chosen ? ` on one of ${many(decision.feasible, 'suitable host')}` : '';
  return `It is ${state}: ${gpu_count} × ${plain(sku)}${placed ? ` was reserved${placed}` : ' is being looked for'}.`;
}

/** A machine that is stopped for lack of money, or on the way there or back. */
export function stopCause({ phase, since, kept_until }: NonNullable<AllocationDetail['stop']>): string {
  if (phase === 'starting') return `Its machine starts again since ${showTime(since)}: the balance lasts again.`;
  const kept = kept_until ? ` Its disk is kept until ${showTime(kept_until)}.` : '';
  return `Its machine is ${phase} since ${showTime(since)} because the balance is spent; it costs nothing while stopped.${kept} Add to the balance, and it starts again.`;
}

/** The reason of a release: reasons of the platform in words, others as given. */
const releases: Readonly<Record<string, string>> = {
  user: 'because its owner released it',
  operator: 'because an operator released it',
  group: 'because its group was released',
  max_duration: 'because its duration ended',
  max_spend: 'because it cost as much as it may',
  idle: 'because its GPUs were idle',
  drain: 'because its host was drained',
  node_lost: 'because its host was lost',
  balance_depleted: 'because the balance was used up',
};
const releaseCause = (reason: string | null): string =>
  reason === null ? 'because a user released it' : (releases[reason] ?? `with the reason "${plain(reason)}"`);

const lower = (text: string): string => {
  const clean = plain(text).replace(/\.$/, '');
  return /^[A-Z](?:[a-z]| )/.test(clean) ? clean.charAt(0).toLowerCase() + clean.slice(1) : clean;
};

export function placementLines(decision: PlacementDecision): string[] {
  return [
    `placement: ${decision.outcome}; ${decision.feasible} of ${many(decision.considered, 'host')} suited (${showTime(decision.decided_at)})`,
    ...(decision.chosen
      ? [
          `chosen: ${many(decision.chosen.gpus, 'GPU')} in ${many(decision.chosen.numa_groups, 'NUMA group')}, image ${decision.chosen.image_cached ? 'already there' : 'still to be fetched'}`,
        ]
      : []),
    ...decision.reasons.map(
      ({ nodes, message, constraint }) => `${many(nodes, 'host')}: ${plain(message)} (${constraint})`,
    ),
    ...(decision.nearest_miss ? [`nearest miss: ${plain(decision.nearest_miss.message)}`] : []),
    ...decision.would_fit.map((change) => `would fit: ${changeOf(change)}`),
  ];
}

export function changeOf({ change, gpus, region, sku }: PlacementChange): string {
  switch (change) {
    case 'fewer_gpus':
      return `with ${many(gpus ?? 1, 'GPU')}`;
    case 'other_region':
      return `in ${region}`;
    case 'other_sku':
      return `as ${sku}`;
    default:
      return 'later: wait for it with --queue';
  }
}

/** The number of the attempt and why earlier ones failed; nothing for a first attempt without failure. */
export function attemptLines({
  attempt,
  max_attempts,
  failed_attempts,
}: Pick<AllocationDetail, 'attempt' | 'max_attempts' | 'failed_attempts'>): string[] {
  if (attempt === 1) return [];
  return [
    `attempt ${attempt} of ${max_attempts}`,
    ...failed_attempts.map((failed) => `attempt ${failed.attempt} failed: ${lower(failed.reason)} (${failed.code})`),
  ];
}

/** The note for allocations on simulated hosts. */
export const simulatedLine = 'simulated: its host is simulated, and its machine does not exist';

export const isLogin = (name: string) => /^[a-z_][\da-z_-]{0,31}$/.test(name);

/**
 * The ssh command, once there is an address. The node reported the address, so it and the login are checked: `ssh`
 * would read a word with a leading dash as an option, and a shell would run text after a semicolon.
 */
export function sshWords({ access, login }: Pick<AllocationDetail, 'access' | 'login'>): string[] | undefined {
  const ssh = (access?.['ssh'] ?? access) as Readonly<Record<string, unknown>> | null;
  if (!ssh || typeof ssh['address'] !== 'string' || !/^[\w:][\w.:-]*$/.test(ssh['address'])) return undefined;
  const user = login?.username ?? ssh['username'];
  if (user !== undefined && (typeof user !== 'string' || !isLogin(user))) return undefined;
  const port = ssh['port'] === undefined || ssh['port'] === 22 ? [] : ['-p', String(Number(ssh['port']))];
  return ['ssh', ...port, `${user === undefined ? '' : `${user}@`}${ssh['address']}`];
}

export const sshLine = (allocation: Pick<AllocationDetail, 'access' | 'login'>): string | undefined =>
  sshWords(allocation)?.join(' ');

export const priceLine = (
  price: AllocationDetail['price'],
  seconds: number | undefined,
  projected: Parameters<typeof showMoney>[0] | null,
): string =>
  `${showMoney(price.per_hour)}/h${seconds !== undefined && projected ? ` · ${showDuration(seconds)} = ${showMoney(projected)} at most` : ''}`;
