import type { Clock } from '../../kernel/clock.ts';
import { callerAddress } from '../gate/caller-address.ts';
import { makeGate } from '../gate/gate.ts';
import { makeStrangers, type StrangerLimits } from '../nodes/strangers.ts';

export interface QuestionLimits {
  /** Callers that were not let in within the last 15 minutes: questions of one address in a minute, and on their way at once. */
  readonly strangers: StrangerLimits & { readonly perMinute: number };
  /** Questions about callers that were let in within that time, on their way at the same time. */
  readonly questions: number;
}
/** Why the api was not asked. */
export type NotAsked = 'too_many' | 'crowded';

/**
 * The way of callers' questions to the api. Anybody can name a new application or a random cookie with each request, so those who were not
 * let in before share a small part of it, and none waits in line: above a limit the answer comes at once.
 */
export interface Questions {
  ask<T>(caller: { readonly address: string; readonly isKnown: boolean }, ask: () => Promise<T>): Promise<T | NotAsked>;
}

export function makeQuestions({
  clock,
  limits,
}: {
  readonly clock: Clock;
  readonly limits: QuestionLimits;
}): Questions {
  const budget = makeGate({ clock, perMinute: () => limits.strangers.perMinute });
  const strangers = makeStrangers(limits.strangers);
  const known = makeStrangers({ perAddress: limits.questions, inTotal: limits.questions });
  return {
    async ask({ address, isKnown }, ask) {
      const counted = callerAddress(address);
      if (!isKnown && budget.admit(counted, undefined) !== undefined) return 'too_many';
      const leave = (isKnown ? known : strangers).take(counted);
      if (!leave) return 'crowded';
      try {
        return await ask();
      } finally {
        leave();
      }
    },
  };
}
