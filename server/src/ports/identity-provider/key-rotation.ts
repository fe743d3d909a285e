/**
 * When a signing key begins, rests and ends. Verifiers cache our public keys for minutes, so a key is published long
 * before it signs, and stays published for as long as anything that it signed is valid. At any time there is one key
 * that signs and one that will be next. The plan is a pure function of the keys and the time; it is carried out under a
 * lock, and a plan without changes is empty.
 */
export interface KeyLife {
  readonly id: string;
  readonly state: 'next' | 'active' | 'retired';
  readonly createdAt: Date;
  readonly retiredAt: Date | undefined;
}
export interface RotationPolicy {
  /** How old a key gets before the next one takes over. */
  readonly rotateEveryMs: number;
  /** How long a key is shown before it signs. */
  readonly publishAheadMs: number;
  /** How long a key is shown after it signed last. */
  readonly keepRetiredMs: number;
}
export interface RotationPlan {
  readonly remove: readonly string[];
  readonly retire: string | undefined;
  readonly activate: string | undefined;
  readonly create: readonly ('active' | 'next')[];
}

export function planRotation(
  keys: readonly KeyLife[],
  now: Date,
  policy: RotationPolicy,
  atOnce = false,
): RotationPlan {
  const ageMs = (since: Date) => now.getTime() - since.getTime();
  const remove = keys
    .filter(({ state, retiredAt }) => state === 'retired' && retiredAt && ageMs(retiredAt) >= policy.keepRetiredMs)
    .map(({ id }) => id);
  const active = keys.find(({ state }) => state === 'active');
  const next = keys.find(({ state }) => state === 'next');
  if (!active) {
    return { remove, retire: undefined, activate: next?.id, create: next ? ['next'] : ['active', 'next'] };
  }
  if (!next) return { remove, retire: undefined, activate: undefined, create: ['next'] };
  // The age of a key that was `next` counts from its making, so both times are measured from there.
  const isDue = ageMs(active.createdAt) >= policy.rotateEveryMs + policy.publishAheadMs;
  const isShown = ageMs(next.createdAt) >= policy.publishAheadMs;
  return atOnce || (isDue && isShown)
    ? { remove, retire: active.id, activate: next.id, create: ['next'] }
    : { remove, retire: undefined, activate: undefined, create: [] };
}

export const isEmpty = (plan: RotationPlan): boolean =>
  plan.remove.length === 0 && !plan.retire && !plan.activate && plan.create.length === 0;
