import { errors, isWrite, laneOf, type Route, type WriteRoute } from '@gpuaas/contract';
import type { FastifyRequest } from 'fastify';
import { type Credential, type Mounted, makeAct, type Viewer } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Ids } from '../../kernel/id.ts';
import { attachIdempotency, KeyTaken, type StoredReply } from '../../kernel/idempotency.ts';
import { redactText } from '../../kernel/telemetry/redact.ts';
import { currentTraceparent, traceparentOf } from '../../kernel/telemetry/trace.ts';
import type { StoredReplies } from '../../ports/database/port.ts';
import { callerAddress } from '../gate/caller-address.ts';
import type { Gate } from '../gate/gate.ts';
import type { StreamSeats } from '../gate/stream-seats.ts';
import { type AdmissionParts, type Admitted, makeAdmission } from './admission/admission.ts';
import type { RateLimit } from './admission/rate-limit.ts';
import type { RefusedAction } from './admission/refusals.ts';
import { makeScoping, type Person, type Standing, type Tenants } from './admission/tenancy.ts';
import { type Answered, Answers } from './answers.ts';
import { refuseUpload } from './body/upload.ts';
import { makeEncode, mediaType } from './encode.ts';
import { fingerprint, readKey, withoutSecrets } from './idempotency.ts';
import { credentialOf, header } from './shown.ts';
import { sendStream } from './stream.ts';
import { makeValidation } from './validation/validation.ts';

/**
 * The stages of one route, in a fixed order: authentication, deny list, service accounts, tenant scope and
 * authorisation, recent sign-in, rate limit; then the body is read; then idempotency, validation, handler, encoding.
 * Each passes the request on or ends it with a `Fault`. The body is read only after authorisation.
 */
export interface StageParts extends AdmissionParts {
  readonly tenants: Tenants;
  readonly rateLimit: RateLimit;
  readonly gate: Gate;
  readonly seats: StreamSeats;
  readonly replies: StoredReplies;
  readonly keyRetentionHours: () => number;
  readonly ids: Ids;
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
    upload: () => AsyncIterable<Uint8Array>,
  ): Promise<Answered>;
}
/** A request that waits for its body. */
export interface Standby {
  readonly answers: Answers;
  readonly viewer: Viewer;
  /** The object no longer exists: only a stored answer to this request can be replayed. */
  readonly gone?: Fault;
}
export const isAnswered = (outcome: Standby | Answered): outcome is Answered => 'status' in outcome;

/** A request that has passed every stage before its handler. */
interface Passed {
  readonly request: FastifyRequest;
  readonly answers: Answers;
  readonly viewer: Viewer;
  readonly key: string | undefined;
  readonly input: Parameters<Mounted['handle']>[1];
  readonly handle: Mounted['handle'];
}

const hourMs = 3_600_000;
const maxUserAgentLength = 300;
const streamRetrySeconds = 10;
const nobody: Person = { id: 'anonymous', kind: 'user', platformRoles: [] };
const emptyRequestId = () =>
  new Fault('validation_error', 'X-Request-Id is empty: leave it out, or send 1 to 128 characters.');
/** Faults of an incomplete request, which is not an attempt at anything. */
const unclear: ReadonlySet<string> = new Set(['validation_error', 'project_required', 'project_mismatch']);

export function makeStages(route: Route, parts: StageParts): Stages {
  const scoping = makeScoping(route, parts.tenants, () => parts.ids.next());
  const admission = makeAdmission(route, parts);
  const validate = makeValidation(route);
  const encode = makeEncode(route);
  const lane = laneOf(route);

  const admit = (request: FastifyRequest): Promise<Admitted | Fault> => {
    const browser = {
      cookie: header(request, 'cookie'),
      isWrite: isWrite(route),
      origin: header(request, 'origin'),
      site: header(request, 'sec-fetch-site'),
    };
    const from = { address: request.ip, userAgent: userAgentOf(request) };
    return admission.admit(header(request, 'authorization'), browser, from, request.id);
  };

  /** Service accounts and personal tokens, tenant scope and authorisation, recent sign-in. */
  const stand = async (request: FastifyRequest, admitted: Admitted | undefined): Promise<Standing | Fault> => {
    const refused = admitted && admission.kindRefused(admitted);
    if (refused) return refused;
    const person = admitted?.person ?? nobody;
    const standing = await scoping(person, admitted?.identity.credential.scopes, {
      params: request.params as Record<string, string>,
      projectHeader: header(request, 'x-project-id') ?? projectInQuery(route, request),
    });
    if (standing instanceof Fault || !admitted) return standing;
    return admission.stepUp(admitted.identity, { ...standing, actorId: person.id }) ?? standing;
  };

  /**
   * This very request may have deleted the object before its answer was lost: the stored answer is replayed to the same
   * caller.
   */
  const replayIfGone = async (request: FastifyRequest, personId: string): Promise<StoredReply | undefined> => {
    const key = readKey(route, request.headers);
    if (key instanceof Fault || key === undefined) return undefined;
    const stored = await parts.replies.find(personId, route.id, key);
    // The body was not validated yet, and only a valid one can match a stored answer.
    const { params, query, body } = request;
    if (!stored || validate({ params, query, body }) instanceof Fault) return undefined;
    return stored.fingerprint === fingerprintOf(request) ? stored : undefined;
  };

  const read = async ({ request, answers, viewer, input, handle }: Passed): Promise<Answered> => {
    if (isStream(route)) return watch({ request, answers, viewer, key: undefined, input, handle });
    const value = await handle(viewer, input);
    if (value instanceof Fault) return answers.problem(value);
    return answers.value(200, encode(value), mediaType(route, input.query));
  };

  /** A stream holds a seat for as long as it is open. */
  const watch = async ({ request, answers, viewer, input, handle }: Passed): Promise<Answered> => {
    const leave = parts.seats.take(viewer.actorId, callerAddress(request.ip), viewer);
    if (leave instanceof Fault) {
      answers.retryAfter(streamRetrySeconds);
      return answers.problem(leave);
    }
    const gone = new AbortController();
    request.raw.once('close', () => gone.abort());
    gone.signal.addEventListener('abort', leave, { once: true });
    if (request.raw.destroyed) gone.abort();
    const value = await handle(viewer, input).catch((error: unknown) => {
      leave();
      throw error;
    });
    if (value instanceof Fault) {
      leave();
      return answers.problem(value);
    }
    const mayStay = async () => {
      const again = await admit(request);
      if (again instanceof Fault) return false;
      const asked = { params: request.params as Record<string, string>, projectHeader: viewer.projectId };
      return !((await scoping(again.person, again.identity.credential.scopes, asked)) instanceof Fault);
    };
    const signal = AbortSignal.any([gone.signal, parts.stopping]);
    const isFile = route.method === 'GET' && !route.text?.includes('text/event-stream');
    const stream = sendStream(value as AsyncIterable<string>, { mayStay, clock: parts.clock, signal, isFile });
    stream.once('close', leave);
    return answers.value(200, stream, mediaType(route, input.query));
  };

  const write = async (to: WriteRoute, { request, answers, viewer, key, input, handle }: Passed): Promise<Answered> => {
    const { status = 200 } = to;
    const act = makeAct(viewer, to.audit, parts.ids.next());
    const print = fingerprintOf(request);
    let body: string | undefined;
    if (key !== undefined) {
      attachIdempotency(act, {
        principal: viewer.actorId,
        route: to.id,
        key,
        fingerprint: print,
        expiresAt: new Date(parts.clock.now().getTime() + parts.keyRetentionHours() * hourMs),
        encode: (value) => {
          body = encode(value);
          const kept = to.shownOnce ? JSON.stringify(withoutSecrets(value, to.shownOnce)) : body;
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

  /** A file: what its headers show to be wrong, and a repetition, are answered before its first byte is read. */
  const receive = async (
    to: WriteRoute,
    passed: Passed,
    upload: () => AsyncIterable<Uint8Array>,
  ): Promise<Answered> => {
    const { request, answers, viewer, key, input } = passed;
    const refused = refuseUpload(to, request, input.query);
    if (refused) return answers.problem(refused);
    const find = () => (key === undefined ? undefined : parts.replies.find(viewer.actorId, to.id, key));
    const earlier = await find();
    if (earlier) return replay(earlier, fingerprintOf(request), answers);
    const outcome = await write(to, { ...passed, input: { ...input, body: upload() } as unknown as Passed['input'] });
    // The same request may have succeeded on another connection meanwhile, and is then what this one was refused for.
    const meanwhile = outcome.status === 409 ? await find() : undefined;
    return meanwhile ? replay(meanwhile, fingerprintOf(request), answers) : outcome;
  };

  const admitted = async (request: FastifyRequest): Promise<Admitted | Fault> => {
    const found = await admit(request);
    const shown = credentialOf(request, parts.sessionOf);
    if (shown === undefined) return found;
    if (!(found instanceof Fault)) parts.gate.vouch(shown);
    else if (errors[found.code].status === 401) parts.gate.doubt(shown);
    return found;
  };

  return {
    async admit(request) {
      const answers = new Answers(request.id);
      if (request.headers['x-request-id'] === '') return answers.problem(emptyRequestId());
      const caller = route.auth.kind === 'public' ? undefined : await admitted(request);
      if (caller instanceof Fault) {
        const { retry_after_seconds: wait } = (caller.details ?? {}) as { retry_after_seconds?: number };
        if (wait) answers.retryAfter(wait);
        return answers.problem(caller);
      }
      const stranger = viewerOf(request, caller);
      const standing = await stand(request, caller);
      const viewer: Viewer = standing instanceof Fault ? stranger : { ...stranger, ...standing };

      // Refused callers spend their budget too.
      const spender = caller ? { person: viewer.actorId } : { address: callerAddress(request.ip) };
      const allowance = await parts.rateLimit(lane, spender, viewer);
      answers.allowance(lane, allowance);
      if (!allowance.allowed) {
        const { limit, resetSeconds, firstRefusal } = allowance;
        answers.retryAfter(resetSeconds);
        const fault = new Fault('rate_limit_exceeded', `Too many requests: come back in ${resetSeconds} s.`, {
          lane,
          limit,
        });
        return answers.problem(fault, stranger, firstRefusal ? 'rate_limit.block' : undefined);
      }
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

      const passed: Passed = { request, answers, viewer, key, input, handle };
      if (!isWrite(route)) return read(passed);
      return route.upload ? receive(route, passed, upload) : write(route, passed);
    },
  };
}

const shownCredential = ({ identity }: Admitted): Credential => ({
  ...identity.credential,
  signedInAt: identity.signedInAt,
  methods: identity.methods,
});

function viewerOf(request: FastifyRequest, admitted: Admitted | undefined): Viewer {
  const { id, kind } = admitted?.person ?? nobody;
  return {
    actorId: id,
    actorKind: kind,
    actorRole: 'none',
    reach: 'self',
    organizationId: undefined,
    projectId: undefined,
    correlationId: request.id,
    traceparent: currentTraceparent() ?? traceparentOf(header(request, 'traceparent')),
    address: request.ip,
    userAgent: userAgentOf(request),
    ...(admitted && { credential: shownCredential(admitted) }),
  };
}

function replay(stored: StoredReply | undefined, asked: string, answers: Answers): Answered {
  if (!stored) {
    answers.retryAfter(1);
    return answers.problem(
      new Fault('idempotency_in_progress', 'A request with this key is still running: repeat it in a second.'),
    );
  }
  if (stored.fingerprint !== asked) {
    return answers.problem(
      new Fault('idempotency_key_reused', 'This Idempotency-Key was used for another request: use a new one.'),
    );
  }
  return stored.body === '' ? answers.problem(answerErased()) : answers.again(stored);
}

/** An answer that named a person loses its text when the person is erased. */
const answerErased = () =>
  new Fault(
    'idempotency_key_reused',
    'This request was done before, and its answer was erased with a person whom it named. Read the object to see what it did; use a new key for another request.',
  );

/** A refusal of a handler is audited when it is about rights, like one of a stage. */
function refusalOf(fault: Fault): RefusedAction | undefined {
  if (fault.code === 'policy_out_of_bounds') return 'policy.bound_violation';
  return errors[fault.code].status === 403 ? 'authz.deny' : undefined;
}

const isStream = (route: Route): boolean => route.method === 'GET' && route.stream === true;

/** EventSource cannot set headers: the project is in the query, the last event id in its own header. */
function projectInQuery(route: Route, request: FastifyRequest): string | undefined {
  const { project_id: named } = request.query as { project_id?: unknown };
  return isStream(route) && typeof named === 'string' ? named : undefined;
}
function queryOf(route: Route, request: FastifyRequest): unknown {
  const last = isStream(route) ? header(request, 'last-event-id') : undefined;
  return last === undefined ? request.query : { ...(request.query as object), after: last };
}

const fingerprintOf = (request: FastifyRequest): string =>
  fingerprint(request.url, header(request, 'x-project-id'), request.body);

const userAgentOf = (request: FastifyRequest): string | undefined =>
  redactText(header(request, 'user-agent')?.slice(0, maxUserAgentLength) ?? '') || undefined;
