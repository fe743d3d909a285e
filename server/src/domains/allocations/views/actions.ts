import type { AllocationAction } from '@gpuaas/contract';
import type { AllocationState } from '../life/machine.ts';

/** What the actions follow from, besides the row. */
export interface Limits {
  readonly maxReleaseAttempts: number;
  /** Whether this installation runs a terminal gateway. */
  readonly hasTerminals: boolean;
}

export interface Actionable {
  readonly state: AllocationState;
  readonly max_duration_seconds: number | null;
  readonly release_attempts: number;
  readonly login: object | null;
  /** Set while its machine is stopped, or on the way there or back. */
  readonly stop: object | null;
}
type Name = AllocationAction['action'];

export const stoppedWords =
  'Its machine is stopped because the balance is spent: add to the balance, and it starts again.';

/** What can be done with an allocation now, and why the rest cannot: the same rules that the operations go by. */
export function actionsOf(row: Actionable, limits: Limits): AllocationAction[] {
  const notActive = row.state === 'active' ? null : `It is ${row.state}: only an active allocation can.`;
  const stopped = row.stop === null ? null : stoppedWords;
  const ended = row.state === 'released' || row.state === 'failed' ? `It is ${row.state}.` : null;
  const reasons: Readonly<Record<Name, string | null>> = {
    release: ended ?? whyNoRelease(row, limits.maxReleaseAttempts),
    extend: notActive ?? (row.max_duration_seconds === null ? 'It has no end that could be moved.' : null),
    restart: notActive ?? stopped,
    rename: ended,
    set_ssh_keys: ended ?? (takesKeys(row.state) ? null : `It is ${row.state}.`),
    open_terminal: notActive ?? stopped ?? whyNoTerminal(row, limits.hasTerminals),
  };
  return (Object.keys(reasons) as Name[]).map((action) => ({
    action,
    allowed: reasons[action] === null,
    why_not: reasons[action],
  }));
}

export const takesKeys = (state: AllocationState): boolean =>
  state === 'requested' || state === 'provisioning' || state === 'active';

function whyNoTerminal({ login }: Actionable, hasTerminals: boolean): string | null {
  if (!hasTerminals) return 'This installation runs no terminal gateway.';
  return login === null ? 'The machine has no login that a shell could run as.' : null;
}

function whyNoRelease({ state, release_attempts }: Actionable, maxAttempts: number): string | null {
  if (state === 'releasing') return 'It is being released already.';
  if (state === 'release_failed' && release_attempts >= maxAttempts) {
    return 'The release was tried as often as the policy allows; an operator has to look.';
  }
  return null;
}
