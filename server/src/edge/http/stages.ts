import { countsAddresses, errors, isWrite, laneOf, type Route } from '@gpuaas/contract';
import type { FastifyRequest } from 'fastify';
import type { Mounted, Viewer } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import type { StoredReply } from '../../kernel/idempotency.ts';
import type { StoredReplies } from '../../ports/database/port.ts';
import { callerAddress } from '../gate/caller-address.ts';
import type { StreamSeats } from '../gate/stream-seats.ts';
import type { Caller } from './admission/caller-key.ts';
import { type CallerParts, makeCallers, viewerOf } from './admission/callers.ts';
import type { RateLimit } from './admission/rate-limit.ts';
import type { Passed } from './answering/passed.ts';
import { makeAnswerRead } from './answering/read.ts';
import { makeAnswerReceive } from './answering/receive.ts';
import { replay } from './answering/replay.ts';
import { makeAnswerWatch } from './answering/watch.ts';
import { makeAnswerWrite } from './answering/write.ts';
import { type Answered, Answers } from './answers.ts';
import { fingerprintOf, readKey } from './idempotency.ts';
import { isStream, queryOf } from './stream-request.ts';
import { makeValidation } from './validation/validation.ts';

/**
 * The stages of one route, in a fixed order: authentication, deny list, service accounts, tenant scope and
 * authorisation, recent sign-in, rate limit; then the body is read; then idempotency, validation, handler, encoding.
 * Each passes the request on or ends it with a `Fault`. The body is read only after authorisation.
 */
export interface StageParts extends CallerParts {
  readonly rateLimit: RateLimit;
  readonly seats: StreamSeats;
  readonly replies: StoredReplies;
  readonly keyRetentionHours: () => number;
  /** Aborts when the process stops: what streams then ends. */
  readonly stopping: AbortSignal;
}
export interface Stages {
  /** All decisions that need no body. */
  admit(request: FastifyRequest): Promise<Standby | Answered>;
  /** The rest, for a request that was admitted. */
  finish(
    request: FastifyRequest,
    standby: Standby,
    handle: Mounted['handle'],
    /** The body of a route that receives a file. */
    upload: Upload,
  ): Promise<Answered>;
}
/** A request that waits for its body. */
export interface Standby {
  readonly answers: Answers;
  readonly viewer: Viewer;
  /** The object no longer exists: only a stored answer to this request can be replayed. */
  readonly gone?: Fault;
}
type Upload = () => AsyncIterable<Uint8Array>;
export const isAnswered = (outcome: Standby | Answered): outcome is Answered => 'status' in outcome;

const emptyRequestId = () =>
  new Fault('validation_error', 'X-Request-Id is empty: leave it out, or send 1 to 128 characters.');
/** Faults of an incomplete request, which is not an attempt at anything. */
const unclear: ReadonlySet<string> = new Set(['validation_error', 'project_required', 'project_mismatch']);

export function makeStages(route: Route, parts: StageParts): Stages {
  const callers = makeCallers(route, parts);
  const spend = makeSpend(route, parts.rateLimit);
  const validate = makeValidation(route);
  const replayIfGone = makeReplayIfGone(route, parts.replies, validate);
  const answer = makeAnswer(route, { ...parts, mayStay: callers.mayStay });

  return {
    async admit(request) {
      const answers = new Answers(request.id);
      if (request.headers['x-request-id'] === '') return answers.problem(emptyRequestId());
      const caller = route.auth.kind === 'public' ? undefined : await callers.identify(request);
      if (caller instanceof Fault) {
        const { retry_after_seconds: wait } = (caller.details ?? {}) as { retry_after_seconds?: number };
        if (wait) answers.retryAfter(wait);
        return answers.problem(caller);
      }
      const stranger = viewerOf(request, caller);
      const standing = await callers.authorize(request, caller);
      const viewer: Viewer = standing instanceof Fault ? stranger : { ...stranger, ...standing };

      // Refused callers spend their budget too.
      const address = { address: callerAddress(request.ip) };
      const spenders: [Caller, ...Caller[]] = caller ? [{ person: viewer.actorId }, address] : [address];
      const exhausted = await spend(spenders, viewer, stranger, answers);
      if (exhausted) return exhausted;
      if (!(standing instanceof Fault)) return { answers, viewer };
      if (isWrite(route) && errors[standing.code].status === 404) return { answers, viewer, gone: standing };
      return answers.problem(standing, stranger, unclear.has(standing.code) ? undefined : 'authz.deny');
    },

    async finish(request, { answers, viewer, gone }, handle, upload) {
      if (gone) {
        const stored = await replayIfGone(request, viewer.actorId);
        return stored ? replay(stored, stored.fingerprint, answers) : answers.problem(gone, viewer, 'authz.deny');
      }
      const key = readKey(route, request.headers);
      if (key instanceof Fault) return answers.problem(key);
      const input = validate({ params: request.params, query: queryOf(route, request), body: request.body });
      if (input instanceof Fault) return answers.problem(input);
      return answer({ request, answers, viewer, key, input, handle }, upload);
    },
  };
}

/** Takes one request from the caller's budget. The answer says what is left, or refuses when nothing is. */
function makeSpend(route: Route, rateLimit: RateLimit) {
  const lane = laneOf(route);
  return async (
    /** The caller, and then the address, which counts besides in some lanes. */
    [spender, ...others]: readonly [Caller, ...Caller[]],
    viewer: Viewer,
    stranger: Viewer,
    answers: Answers,
  ): Promise<Answered | undefined> => {
    let allowance = await rateLimit(lane, spender, viewer);
    for (const other of countsAddresses(lane) ? others : []) {
      const theirs = allowance.allowed ? await rateLimit(lane, other, viewer) : allowance;
      if (!theirs.allowed || theirs.remaining < allowance.remaining) allowance = theirs;
    }
    answers.allowance(lane, allowance);
    if (allowance.allowed) return undefined;
    const { limit, resetSeconds, firstRefusal } = allowance;
    answers.retryAfter(resetSeconds);
    const message = `Too many requests: come back in ${resetSeconds} s.`;
    const fault = new Fault('rate_limit_exceeded', message, { lane, limit });
    return answers.problem(fault, stranger, firstRefusal ? 'rate_limit.block' : undefined);
  };
}

/**
 * Finds the stored answer of a request whose object is gone: this very request may have deleted it before its answer
 * was lost. Only the same caller gets it.
 */
function makeReplayIfGone(route: Route, replies: StoredReplies, validate: ReturnType<typeof makeValidation>) {
  return async (request: FastifyRequest, personId: string): Promise<StoredReply | undefined> => {
    const key = readKey(route, request.headers);
    if (key instanceof Fault || key === undefined) return undefined;
    const stored = await replies.find(personId, route.id, key);
    // The body was not validated yet, and only a valid one can match a stored answer.
    const { params, query, body } = request;
    if (!stored || validate({ params, query, body }) instanceof Fault) return undefined;
    return stored.fingerprint === fingerprintOf(request) ? stored : undefined;
  };
}

/** The one way in which this route answers: a write, a file that it receives, a stream or a value. */
function makeAnswer(
  route: Route,
  parts: Omit<StageParts, keyof CallerParts> &
    Pick<CallerParts, 'ids' | 'clock'> &
    Pick<Parameters<typeof makeAnswerWatch>[1], 'mayStay'>,
): (passed: Passed, upload: Upload) => Promise<Answered> {
  if (!isWrite(route)) return isStream(route) ? makeAnswerWatch(route, parts) : makeAnswerRead(route);
  const write = makeAnswerWrite(route, parts);
  return route.upload ? makeAnswerReceive(route, parts.replies, write) : write;
}
