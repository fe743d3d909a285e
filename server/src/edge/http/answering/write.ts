import { errors, type WriteRoute } from '@gpuaas/contract';
import { type Act, makeAct } from '../../../kernel/act.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Ids } from '../../../kernel/id.ts';
import { attachIdempotency, KeyTaken } from '../../../kernel/idempotency.ts';
import type { RefusedAction } from '../admission/refusals.ts';
import type { Answered } from '../answers.ts';
import { makeEncode } from '../encode.ts';
import { fingerprintOf, withoutSecrets } from '../idempotency.ts';
import type { Passed } from './passed.ts';
import { replay } from './replay.ts';

const hourMs = 3_600_000;

/** Answers a write: its handler gets an act, and the same key again gets the stored answer. */
export function makeAnswerWrite(
  route: WriteRoute,
  parts: { readonly ids: Ids; readonly clock: Clock; readonly keyRetentionHours: () => number },
) {
  const { status = 200 } = route;
  const encode = makeEncode(route);
  return async ({ request, answers, viewer, key, input, handle }: Passed): Promise<Answered> => {
    const act: Act = makeAct(viewer, route.audit, parts.ids.next());
    const print = fingerprintOf(request);
    let body: string | undefined;
    if (key !== undefined) {
      attachIdempotency(act, {
        principal: viewer.actorId,
        route: route.id,
        key,
        fingerprint: print,
        expiresAt: new Date(parts.clock.now().getTime() + parts.keyRetentionHours() * hourMs),
        encode: (value) => {
          body = encode(value);
          const kept = route.shownOnce ? JSON.stringify(withoutSecrets(value, route.shownOnce)) : body;
          return { status, kept };
        },
      });
    }
    try {
      const outcome = await handle(act, input);
      if (outcome instanceof Fault) return answers.problem(outcome, viewer, refusalOf(outcome));
      return answers.value(status, body ?? encode((outcome as { value: unknown }).value));
    } catch (error) {
      if (!(error instanceof KeyTaken) || key === undefined) throw error;
      return replay(error.stored, print, answers);
    }
  };
}

/** A refusal of a handler is audited when it is about rights, like one of a stage. */
function refusalOf(fault: Fault): RefusedAction | undefined {
  if (fault.code === 'policy_out_of_bounds') return 'policy.bound_violation';
  return errors[fault.code].status === 403 ? 'authz.deny' : undefined;
}
