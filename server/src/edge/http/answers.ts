import type { Readable } from 'node:stream';
import type { Lane } from '@gpuaas/contract';
import type { Viewer } from '../../kernel/act.ts';
import type { Fault } from '../../kernel/fault.ts';
import type { StoredReply } from '../../kernel/idempotency.ts';
import type { Allowance } from './admission/rate-limit.ts';
import type { RefusedAction } from './admission/refusals.ts';
import { encodeProblem, problemType } from './problem.ts';

/** The result of the stages: the answer, and what the mount counts and audits. */
export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Readable;
  readonly replayed?: boolean;
  /** Set when the credential was the reason. */
  readonly refusedFor?: string;
  readonly fault?: {
    readonly fault: Fault;
    readonly viewer: Viewer;
    readonly refused: RefusedAction | undefined;
  };
}

const aboutCredentials: ReadonlySet<string> = new Set([
  'step_up_required',
  'origin_refused',
  'service_account_refused',
  'personal_token_refused',
]);

/** The answer to one request in the making: headers gather on the way, and it ends in one of these. */
export class Answers {
  readonly #correlationId: string;
  readonly #headers: Record<string, string> = { 'content-type': 'application/json; charset=utf-8' };

  constructor(correlationId: string) {
    this.#correlationId = correlationId;
  }

  retryAfter(seconds: number): void {
    this.#headers['retry-after'] = String(seconds);
  }

  allowance(lane: Lane, { limit, remaining, resetSeconds }: Allowance): void {
    this.#headers['ratelimit-policy'] = `"${lane}";q=${limit};w=60`;
    this.#headers['ratelimit'] = `"${lane}";r=${remaining};t=${resetSeconds}`;
  }

  value(status: number, body: string | Readable, mediaType?: string): Answered {
    return { status, headers: { ...this.#headers, ...(mediaType && { 'content-type': mediaType }) }, body };
  }

  problem(fault: Fault, viewer?: Viewer, refused?: RefusedAction): Answered {
    const { status, body } = encodeProblem(fault, this.#correlationId);
    return {
      status,
      headers: {
        ...this.#headers,
        'content-type': problemType,
        ...(status === 401 && { 'www-authenticate': 'Bearer' }),
      },
      body,
      ...(viewer && { fault: { fault, viewer, refused } }),
      ...((status === 401 || aboutCredentials.has(fault.code)) && { refusedFor: fault.code }),
    };
  }

  /** The stored first answer. */
  again({ status, body }: StoredReply): Answered {
    return { status, headers: { ...this.#headers, 'idempotency-replayed': 'true' }, body, replayed: true };
  }
}
