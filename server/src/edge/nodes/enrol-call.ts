import { NodeEnrolment } from '@gpuaas/contract/node';
import type { Identities } from '../../domains/nodes/index.ts';
import { makeAct } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Ids } from '../../kernel/id.ts';
import { callerAddress } from '../gate/caller-address.ts';
import type { RateLimit } from '../http/admission/rate-limit.ts';
import { makeBodyReader } from './body.ts';
import type { NodeCall } from './calls.ts';
import type { NodeReply, Replies } from './replies.ts';
import { nodeViewer } from './viewer.ts';

export interface EnrolParts {
  readonly identities: Pick<Identities, 'enrol'>;
  readonly rateLimit: RateLimit;
  readonly ids: Ids;
}

const enrolmentBytes = 64 * 1_024;
const readEnrolment = makeBodyReader<NodeEnrolment>(NodeEnrolment, enrolmentBytes);

/** The one call without a certificate: a token is exchanged for one. Attempts are limited by address. */
export const makeEnrolCall =
  (parts: EnrolParts, { reply, refuse }: Replies) =>
  async (call: NodeCall): Promise<NodeReply> => {
    const caller = { address: callerAddress(call.address) };
    const { allowed, limit, resetSeconds } = await parts.rateLimit('credentials', caller, {});
    if (!allowed) {
      const details = { lane: 'credentials', limit };
      return refuse(new Fault('rate_limit_exceeded', `Too many attempts: wait ${resetSeconds} s.`, details), {
        retryAfterSeconds: resetSeconds,
      });
    }
    const body = await readEnrolment(call.body);
    if (body instanceof Fault) return refuse(body);
    const act = makeAct(nodeViewer(call, 'enrolment', parts.ids), 'node.enrol', parts.ids.next());
    return reply(await parts.identities.enrol(act, body));
  };
