import { minuteMs } from '../../../kernel/units.ts';
import { startPauseGrowth, startTries } from '../facts.ts';

export type StopPhase = 'stopping' | 'stopped' | 'starting';
/** The machine of an active allocation, whether it is to be stopped, and the last task that stopped or started it. */
export interface StopStanding {
  readonly now: Date;
  /** Null while it runs. */
  readonly phase: StopPhase | null;
  readonly wanted: 'stopped' | 'running';
  readonly task:
    | { readonly type: 'allocation.stop' | 'allocation.start'; readonly state: string; readonly endedAt: Date }
    | undefined;
  /** How many starts have failed, one after the other, since it was last stopped or ran. */
  readonly failedStarts: number;
  /** It failed to start too often, and stays stopped although it is to run. */
  readonly gaveUp: boolean;
}
export type StopStep =
  | {
      readonly do: 'ask';
      readonly type: 'allocation.stop' | 'allocation.start';
      readonly phase: StopPhase;
      readonly givesUp?: true;
    }
  /** Its failed starts count no longer: the next top-up tries anew. */
  | { readonly do: 'forget'; readonly phase: 'stopped' }
  | { readonly do: 'note'; readonly phase: 'stopped' | null };

/** A node that failed is asked again after this time, not at once: what failed a moment ago fails again. It grows with each failed start. */
const againMs = minuteMs;
const openStates: readonly string[] = ['queued', 'dispatched'];
const askStop = { do: 'ask', type: 'allocation.stop', phase: 'stopping' } as const;
const askStart = { do: 'ask', type: 'allocation.start', phase: 'starting' } as const;

/**
 * The next step towards what is wanted; undefined while a node works, and when everything is as it should be. A node does one thing at
 * a time: what it was asked for ends before the opposite is asked for. Both tasks may be repeated, so a task of unknown effect is
 * followed by one of the wanted kind. A machine that failed to start too often is switched off for certain and stays off, until the
 * balance was spent and filled once more.
 */
export function decideStop(standing: StopStanding): StopStep | undefined {
  const { now, phase, task, gaveUp, failedStarts } = standing;
  const wanted = gaveUp ? 'stopped' : standing.wanted;
  const ask = wanted === 'stopped' ? askStop : askStart;
  if (phase === null) return wanted === 'stopped' ? askStop : undefined;
  if (phase === 'stopped' && gaveUp) {
    return standing.wanted === 'stopped' ? { do: 'forget', phase: 'stopped' } : undefined;
  }
  if (phase === 'stopped') return wanted === 'running' ? askStart : undefined;
  if (!task) return ask;
  if (openStates.includes(task.state)) return undefined;
  const isDone = task.state === 'succeeded' && task.type === (phase === 'stopping' ? askStop.type : askStart.type);
  if (isDone) return { do: 'note', phase: phase === 'stopping' ? 'stopped' : null };
  const isRepeat = task.type === ask.type;
  if (isRepeat && ask === askStart && failedStarts >= startTries) return { ...askStop, givesUp: true };
  const pauseMs = ask === askStart ? againMs * startPauseGrowth ** Math.max(0, failedStarts - 1) : againMs;
  return isRepeat && now.getTime() - task.endedAt.getTime() < pauseMs ? undefined : ask;
}
