import type { Run, WhyNot } from './port.ts';
import type { Standing } from './standing.ts';

/**
 * What an operator may ask of a run, and when that is not possible: the same rules for both engines, and for callers
 * that only ask what is possible. The topics lie beside those of the waits; no step can have such a name.
 */
export const cancelTopic = '@cancel';
/** A word for the pause before this place only: said too late, it cuts no other pause short. */
export const retryTopic = (place: number): string => `@retry.${place}`;

export interface Orderable {
  readonly state: Run['state'];
  /** Undefined once the engine has ended the run. */
  readonly standing: Standing | undefined;
  /** It was requested, though the run may not have reached it. */
  readonly isCalledOff: boolean;
}

const ended: Readonly<Record<Exclude<Run['state'], 'running'>, string>> = {
  done: 'It is done.',
  undone: 'It failed and was rolled back, and the requester was notified. Make a new request.',
  cancelled: 'It was called off, and what it had done was taken back. Have it asked for anew.',
  stuck: 'Its engine broke it off, and nobody can go on with it.',
};

export function whyNot({ state, standing, isCalledOff }: Orderable, now: Date): WhyNot {
  if (!standing) {
    const why = ended[state === 'running' ? 'stuck' : state];
    return { retry: why, cancel: why };
  }
  return { retry: whyNoRetry(standing, now), cancel: whyNoCancel(standing, isCalledOff) };
}

function whyNoRetry({ doing, untilMs = 0 }: Standing, now: Date): string | undefined {
  if (doing === 'stuck') return undefined;
  if (doing === 'waiting') return 'It was asked for and is waited for: asking again brings it no sooner.';
  if (doing === 'queued') return 'No worker has taken it up yet; it is tried as soon as one does.';
  return doing === 'pausing' && untilMs > now.getTime() ? undefined : 'It is being tried right now.';
}

function whyNoCancel({ doing, isUndoing, isLast, calledOff }: Standing, isCalledOff: boolean): string | undefined {
  if (doing === 'stuck') return 'Taking back what it did has given up. Have that tried again.';
  if (isCalledOff || calledOff !== undefined) return 'It was called off already.';
  if (isUndoing) return 'It failed, and what it did is being taken back already.';
  // An unanswered wait can be closed without anything being half done, wherever it stands.
  if (isLast && doing !== 'waiting' && doing !== 'queued')
    return 'It is in its last step, and may be done at any moment.';
  return undefined;
}
