import type { BillingBalance } from '@gpuaas/sdk';
import { type Amount, spellMoney } from '../money.ts';
import { counted } from '../sizes.ts';
import { spellDuration, spellMoment } from '../time.ts';

const isSpent = ({ amount_minor }: Amount): boolean => BigInt(amount_minor) <= 0n;

/** `At $4.50/h, 12 h 30 m left.` */
export function tellRunway({ balance, per_hour, runway_seconds }: BillingBalance): string {
  if (runway_seconds === null) return 'Nothing is running, so nothing is charged.';
  const rate = `At ${spellMoney(per_hour)}/h`;
  return isSpent(balance)
    ? `${rate}, the balance is used up.`
    : `${rate}, ${spellDuration(runway_seconds * 1_000)} left.`;
}

/** Whether the balance and what is available of it are two numbers. The API calls the latter `balance`. */
export const hasHeld = ({ held }: Pick<BillingBalance, 'held'>): boolean => held.amount_minor !== '0';
export function tellHeld({ balance, held }: Pick<BillingBalance, 'balance' | 'held'>): string {
  const whole = { ...balance, amount_minor: String(BigInt(balance.amount_minor) + BigInt(held.amount_minor)) };
  return `The balance is ${spellMoney(whole)}; ${spellMoney(held)} of it is held for what runs, until its usage is charged.`;
}

/** What happens to machines without a top-up, and when. */
export function tellEnding({ stops_at, stopped_machines, releases_at }: BillingBalance): string {
  if (!releases_at) return '';
  const released = `released at ${spellMoment(releases_at)}, unless you top up before`;
  if (stopped_machines > 0) {
    return `${counted(stopped_machines, 'machine')} stopped because the balance is spent. Stopped machines cost nothing; with their disks they are ${released}.`;
  }
  return stops_at
    ? `Machines are stopped at ${spellMoment(stops_at)}. They keep their disks and are ${released}.`
    : `Everything that runs is ${released}.`;
}

/** Whether a launch is refused without a balance. */
export const tellEnforced = ({ enforced, minimum_runway_minutes }: BillingBalance): string =>
  enforced
    ? `Launches are refused when the balance does not last for ${counted(minimum_runway_minutes, 'minute')}.`
    : 'Launches are not refused, whatever the balance is.';

const shortRunwaySeconds = 24 * 3_600;
export interface BalanceMark {
  readonly tone: 'calm' | 'warn' | 'bad';
  /** What has to be seen at a glance, and what can be left out where there is no room. */
  readonly text: string;
  readonly more: string | undefined;
}
/** The mark of the top bar: how long the balance lasts. `ageMs` is the time since the server was asked. */
export function balanceMark(it: BillingBalance, ageMs: number): BalanceMark {
  const balance = spellMoney(it.balance);
  const left = it.runway_seconds === null ? undefined : Math.max(0, it.runway_seconds - ageMs / 1_000);
  const runway = left === undefined ? undefined : `${spellRunway(left)} left`;
  if (it.state === 'auto_release_pending') return { tone: 'bad', text: runway ?? 'Release announced', more: balance };
  if (it.enforced && (it.state === 'depleted' || isSpent(it.balance))) {
    return { tone: 'bad', text: 'No balance', more: undefined };
  }
  if (runway !== undefined && isSpent(it.balance)) return { tone: 'warn', text: 'Balance used up', more: undefined };
  const isLow = it.state === 'low_balance' || (left !== undefined && left < shortRunwaySeconds);
  if (isLow) return { tone: 'warn', text: runway ?? balance, more: runway && balance };
  return { tone: 'calm', text: balance, more: runway };
}

/** Minutes do not matter in a day, nor seconds in an hour: a mark that changes every second is not read. */
const spellRunway = (seconds: number): string =>
  seconds >= 3_600 ? spellDuration(seconds * 1_000) : `${Math.ceil(seconds / 60)} m`;

type Step = BillingBalance['steps'][number];
const stepWords: Readonly<Record<Step['step'], string>> = {
  warning: 'A warning is sent',
  launches_refused: 'Launches are refused',
  release_announced: 'The release of everything is announced',
  depleted: 'The balance is used up, and what runs is released',
};
export interface LadderStep {
  readonly key: string;
  readonly text: string;
  readonly lasts: string;
  readonly at: string | null;
  readonly is: 'past' | 'next' | 'ahead';
}
/** What happens while the balance falls: what has happened, what is next, and what comes after it. */
export function ladderOf({ steps, runway_seconds }: Pick<BillingBalance, 'steps' | 'runway_seconds'>): LadderStep[] {
  const isPast = (step: Step) => runway_seconds !== null && runway_seconds <= step.runway_seconds;
  const next = steps.findIndex((step) => !isPast(step));
  return steps.map((step, index) => ({
    key: `${step.step} ${step.runway_seconds}`,
    text: stepWords[step.step],
    lasts: step.runway_seconds === 0 ? 'nothing left' : `${spellRunway(step.runway_seconds)} left`,
    at: step.at,
    is: isPast(step) ? 'past' : index === next && runway_seconds !== null ? 'next' : 'ahead',
  }));
}

/**
 * How full the gauge is, in per cent. Every step has the same room, so that the last hour is as visible as the last day; the room
 * above the first step is for twice its time.
 */
export function gaugeOf({ steps, runway_seconds }: Pick<BillingBalance, 'steps' | 'runway_seconds'>): number {
  const first = steps[0]?.runway_seconds ?? shortRunwaySeconds;
  if (runway_seconds === null) return 100;
  const marks = [...new Set([first * 2, ...steps.map((step) => step.runway_seconds), 0])].sort((a, b) => b - a);
  const above = marks.findIndex((mark) => runway_seconds >= mark);
  if (above <= 0) return above === 0 ? 100 : 0;
  const [high, low] = [marks[above - 1] ?? 0, marks[above] ?? 0];
  const rooms = marks.length - 1;
  const within = high === low ? 0 : (runway_seconds - low) / (high - low);
  return Math.round(((rooms - above + within) / rooms) * 100);
}

export const accountStates: Readonly<
  Record<BillingBalance['state'], { readonly text: string; readonly tone: 'ok' | 'warn' | 'bad' }>
> = {
  healthy: { text: 'Healthy', tone: 'ok' },
  low_balance: { text: 'Low balance', tone: 'warn' },
  auto_release_pending: { text: 'Release announced', tone: 'bad' },
  depleted: { text: 'Used up', tone: 'bad' },
};
