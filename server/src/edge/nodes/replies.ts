import type { OpenRelease } from '../../domains/nodes/index.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Ids } from '../../kernel/id.ts';
import { encodeProblem } from '../http/problem.ts';

/** What a node is answered, over HTTP or over a line. */
export interface NodeReply {
  readonly status: number;
  /** JSON. */
  readonly text?: string;
  readonly retryAfterSeconds?: number;
  readonly stream?: NonNullable<Awaited<ReturnType<OpenRelease>>>;
}

export interface Replies {
  refuse(fault: Fault, more?: Pick<NodeReply, 'retryAfterSeconds'>): NodeReply;
  /** A value, nothing, or a refusal. */
  reply(value: object | undefined): NodeReply;
}

export function makeReplies(ids: Ids): Replies {
  const refuse: Replies['refuse'] = (fault, more = {}) => {
    const { status, body } = encodeProblem(fault, ids.next());
    return { status, text: body, ...more };
  };
  return {
    refuse,
    reply(value) {
      if (value instanceof Fault) return refuse(value);
      return value === undefined ? { status: 204 } : { status: 200, text: JSON.stringify(value) };
    },
  };
}
