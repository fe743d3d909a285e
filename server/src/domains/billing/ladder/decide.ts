import type { billingAccountMachine, StatesOf, Transition } from '@gpuaas/contract';
import { hourMs, minuteMs, secondMs } from '../../../kernel/units.ts';
import { releaseAgainMs } from '../facts.ts';

type Ladder = StatesOf<typeof billingAccountMachine>;
export type LadderState = keyof Ladder;
export type LadderTransition = Transition<Ladder>;

/** An account at one moment: its money, what it pays for, and what was said and done about it. */
export interface Standing {
  readonly now: Date;
  /** What can still be spent: the balance, and what is held for allocations. */
  readonly spendable: bigint;
  /** The hourly cost of everything that is active, and of what is stored. */
  readonly perHour: bigint;
  /** Allocations that were ordered and have not begun to leave. */
  readonly living: number;
  /** Whether its ledger has an entry: an account that was never used is not low. */
  readonly used: boolean;
  readonly state: LadderState;
  readonly warnedSteps: number;
  readonly warnedBalance: boolean;
  /** When machines are stopped, as it was announced. */
  readonly stopsAt: Date | null;
  /** Since when machines are to be stopped. */
  readonly stoppedAt: Date | null;
  readonly releasesAt: Date | null;
  readonly releaseRequestedAt: Date | null;
}
export interface LadderRules {
  /** Whether the organization pays ahead. One that does not is always healthy. */
  readonly enforced: boolean;
  /** Runways at which a warning is sent, the longest first. */
  readonly warnMinutes: readonly number[];
  readonly thresholdMinor: bigint;
  readonly noticeMinutes: number;
  /** How long stopped machines and their disks are kept before the release. 0: they are released without a stop. */
  readonly keepMinutes: number;
  /** Runways and notices are GPU time, which passes this many times as fast on simulated hosts. */
  readonly speed: number;
}
export interface Warning {
  readonly threshold: 'runway' | 'balance';
  readonly seconds: number | null;
  readonly minor: bigint | null;
}
export interface Step {
  readonly state: LadderState;
  /** Undefined when the state stays. */
  readonly transition: LadderTransition | undefined;
  readonly warnedSteps: number;
  readonly warnedBalance: boolean;
  readonly stopsAt: Date | null;
  readonly stoppedAt: Date | null;
  readonly releasesAt: Date | null;
  readonly warning: Warning | undefined;
  /** Whether machines are stopped by this step. */
  readonly stop: boolean;
  /** Whether the release of everything is asked for now. */
  readonly release: boolean;
}

/** How long a balance lasts; undefined when nothing costs anything. */
export function runwaySeconds(balance: bigint, perHour: bigint): number | undefined {
  if (perHour <= 0n) return undefined;
  if (balance <= 0n) return 0;
  const seconds = (balance * BigInt(hourMs / secondMs)) / perHour;
  return Number(seconds > BigInt(Number.MAX_SAFE_INTEGER) ? BigInt(Number.MAX_SAFE_INTEGER) : seconds);
}

const secondsIn = (minutes: number): number => (minutes * minuteMs) / secondMs;

/** The state that money, cost and rules lead to, wherever the account was. */
export function stateOf(
  at: Pick<Standing, 'spendable' | 'perHour' | 'living' | 'used'>,
  { enforced, warnMinutes, thresholdMinor, noticeMinutes }: LadderRules,
): LadderState {
  if (!enforced || (!at.used && at.perHour === 0n)) return 'healthy';
  if (at.spendable <= 0n) return 'depleted';
  const runway = runwaySeconds(at.spendable, at.perHour) ?? Number.POSITIVE_INFINITY;
  // Files are never released: without an allocation there is nothing to announce.
  if (runway <= secondsIn(noticeMinutes) && at.living > 0) return 'auto_release_pending';
  const isShort = warnMinutes.some((minutes) => runway <= secondsIn(minutes));
  return isShort || at.spendable <= thresholdMinor ? 'low_balance' : 'healthy';
}

const transitionTo: Readonly<Record<LadderState, LadderTransition>> = {
  healthy: 'recover',
  low_balance: 'warn',
  auto_release_pending: 'announce',
  depleted: 'deplete',
};

/**
 * What has to be said and done about an account now. It is pure: the reader uses it to find accounts that are due, and the
 * writer decides by it again while it holds the account.
 */
export function decideLadder(at: Standing, rules: LadderRules): Step {
  const state = stateOf(at, rules);
  const moves = state !== at.state;
  const warned = warningsOf(at, rules, state);
  const ending = endingOf(at, state, rules);
  const { stoppedAt, releasesAt } = ending;
  const mayEnd = stoppedAt !== null || (state === 'depleted' && ending.stopsAt?.getTime() === releasesAt?.getTime());
  const isDue = mayEnd && at.living > 0 && releasesAt !== null && releasesAt <= at.now;
  const wasAsked =
    at.releaseRequestedAt !== null && at.now.getTime() - at.releaseRequestedAt.getTime() < releaseAgainMs;
  return {
    state,
    transition: moves ? transitionTo[state] : undefined,
    ...warned,
    // The announcement and the news that nothing is left say more than a warning would.
    warning: moves && (state === 'auto_release_pending' || state === 'depleted') ? undefined : warned.warning,
    ...ending,
    stop: stoppedAt !== null && at.stoppedAt === null,
    release: isDue && !wasAsked,
  };
}

/** Which thresholds lie above the account now; what it crossed since it was last looked at is the warning. */
function warningsOf(
  at: Standing,
  rules: LadderRules,
  state: LadderState,
): Pick<Step, 'warnedSteps' | 'warnedBalance' | 'warning'> {
  if (state === 'healthy') return { warnedSteps: 0, warnedBalance: false, warning: undefined };
  const runway = runwaySeconds(at.spendable, at.perHour) ?? Number.POSITIVE_INFINITY;
  const sorted = rules.warnMinutes.toSorted((a, b) => b - a);
  const crossed = sorted.filter((minutes) => runway <= secondsIn(minutes));
  const warnedBalance = at.spendable <= rules.thresholdMinor;
  const last = crossed.at(-1);
  const warning: Warning | undefined =
    crossed.length > at.warnedSteps && last !== undefined
      ? { threshold: 'runway', seconds: secondsIn(last), minor: null }
      : warnedBalance && !at.warnedBalance
        ? { threshold: 'balance', seconds: null, minor: rules.thresholdMinor }
        : undefined;
  return { warnedSteps: crossed.length, warnedBalance, warning };
}

/**
 * When machines are stopped and when everything is released. Announced times stand. Machines that were stopped stay so until the
 * balance lasts longer than the notice: a top-up of too little neither starts them nor keeps them longer than was announced,
 * because nothing is charged for them. Where the worker was late to stop, their disks are still kept for the whole time.
 */
function endingOf(
  at: Standing,
  state: LadderState,
  rules: LadderRules,
): Pick<Step, 'stopsAt' | 'stoppedAt' | 'releasesAt'> {
  const none = { stopsAt: null, stoppedAt: null, releasesAt: null };
  if ((state !== 'auto_release_pending' && state !== 'depleted') || at.living === 0) return none;
  if (at.stoppedAt !== null) return { stopsAt: at.stopsAt, stoppedAt: at.stoppedAt, releasesAt: at.releasesAt };
  const stopsAt = stopTime(at, state, rules);
  const keepMs = (rules.keepMinutes * minuteMs) / rules.speed;
  const isAnnounced = at.stopsAt?.getTime() === stopsAt.getTime() && at.releasesAt !== null;
  const releasesAt = isAnnounced ? at.releasesAt : new Date(stopsAt.getTime() + keepMs);
  if (state !== 'depleted' || keepMs === 0 || stopsAt > at.now) return { stopsAt, stoppedAt: null, releasesAt };
  const kept = new Date(at.now.getTime() + keepMs);
  return { stopsAt, stoppedAt: at.now, releasesAt: releasesAt > kept ? releasesAt : kept };
}

/**
 * It is set when the state is entered, at least the notice ahead, however suddenly the balance went; a balance that lasts beyond
 * it (something was released meanwhile) moves it.
 */
function stopTime(at: Standing, state: LadderState, rules: LadderRules): Date {
  const noticed = () => new Date(at.now.getTime() + (rules.noticeMinutes * minuteMs) / rules.speed);
  if (state === 'depleted') return at.stopsAt ?? noticed();
  if (at.state !== state || at.stopsAt === null) return noticed();
  if (at.stopsAt > at.now) return at.stopsAt;
  const runway = runwaySeconds(at.spendable, at.perHour) ?? 0;
  return new Date(at.now.getTime() + Math.max(runway * secondMs, minuteMs) / rules.speed);
}

/** Whether a step changes what is stored. */
export const isChange = (at: Standing, step: Step): boolean =>
  step.transition !== undefined ||
  step.release ||
  step.stoppedAt?.getTime() !== at.stoppedAt?.getTime() ||
  step.stopsAt?.getTime() !== at.stopsAt?.getTime() ||
  step.warnedSteps !== at.warnedSteps ||
  step.warnedBalance !== at.warnedBalance ||
  step.releasesAt?.getTime() !== at.releasesAt?.getTime();
