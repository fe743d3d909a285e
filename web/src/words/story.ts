import { tellAction } from '@gpuaas/sdk/actions';
import { tellEvent, tellHappening } from './sentences.ts';
import { plainWord } from './sizes.ts';
import { spellDuration } from './time.ts';

/** The trace of a request in sentences. A record without a sentence is shown by its name. */
export interface Moment {
  readonly source: 'audit' | 'event' | 'dead_letter' | 'task' | 'allocation';
  readonly name: string;
  readonly state: string | null;
  readonly actor: string | null;
  readonly took_ms: number | null;
}

/** The part of the system; a column of the picture. */
export const lanes = ['api', 'saga', 'outbox', 'node', 'object'] as const;
export type StoryLane = (typeof lanes)[number];
export const laneWords: Readonly<Record<StoryLane, string>> = {
  api: 'API',
  saga: 'Worker',
  outbox: 'Outbox',
  node: 'Node',
  object: 'Allocation',
};

export function laneOf({ source, actor }: Moment): StoryLane {
  if (source === 'event' || source === 'dead_letter') return 'outbox';
  if (source === 'task') return 'node';
  if (source === 'allocation') return 'object';
  if (actor?.startsWith('node ')) return 'node';
  return actor?.startsWith('system ') ? 'saga' : 'api';
}

/** `system saga:allocation.provision` is the saga of that name, `user 0196…` a person. */
export function nameActor(actor: string | null): string {
  if (!actor) return '';
  const [kind = '', ...rest] = actor.split(' ');
  const name = rest.join(' ');
  if (kind === 'system') return name.startsWith('saga:') ? `the workflow ${name.slice('saga:'.length)}` : name;
  if (kind === 'node') return /^[0-9a-f-]{36}$/.test(name) ? 'a node' : name;
  if (kind === 'user') return 'a person';
  if (kind === 'service_account') return 'a service account';
  return actor;
}

export function tellMoment(moment: Moment): string {
  const { source, name, state } = moment;
  switch (source) {
    case 'audit':
      return tellAct(nameActor(moment.actor) || 'a person', name, state === 'failure');
    case 'event':
      return `${tellEvent(name) ?? 'An event was written'}.`;
    case 'dead_letter':
      return `An event was not delivered${state === 'open' ? '' : `, and ${plainWord(state ?? '')}`}.`;
    case 'task':
      return state === 'given'
        ? 'Task sent to the host.'
        : `The host ${state === 'succeeded' ? 'completed the task' : plainWord(state ?? '')}.`;
    case 'allocation': {
      const [kind = '', ...rest] = name.split(' ');
      if (kind === 'phase' || kind === 'task' || kind === 'note') {
        return tellHappening({ kind, name: rest.join(' '), from_state: null, to_state: null });
      }
      return tellHappening({ kind: 'transition', name, from_state: null, to_state: state });
    }
  }
}

/** Actor and action; `who` names the actor. */
export function tellAct(who: string, action: string, failed: boolean): string {
  // A refused request is not a failure of the action.
  const end = failed && action !== 'authz.deny' ? ', which failed.' : '.';
  // Actions of a saga are named after it and the step: `saga.allocation.provision.machine`.
  if (action.startsWith('saga.')) {
    const step = action.slice(action.lastIndexOf('.') + 1);
    return `${capital(who)}: ${step === 'begin' ? 'it began' : `the step ${plainWord(step)}`}${end}`;
  }
  const told = tellAction(action);
  return told === plainWord(action) ? `${capital(who)}: ${told}${end}` : `${capital(who)} ${told}${end}`;
}
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** How long after the beginning: `+12 ms`, `+3.4 s`, `+2 m 05 s`. A story is often over within a second. */
export function spellOffset(ms: number): string {
  if (ms < 1_000) return `+${Math.max(0, Math.round(ms))} ms`;
  return ms < 60_000 ? `+${(ms / 1_000).toFixed(1)} s` : `+${spellDuration(ms)}`;
}
