import type { Readable } from 'node:stream';
import { errors, routes as everyRoute, isWrite, type Route } from '@gpuaas/contract';
import { SpanKind } from '@opentelemetry/api';
import fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type Database, type Mounted, makeAct, type Viewer } from '../../kernel/act.ts';
import { failpoint } from '../../kernel/failpoint.ts';
import { Fault, Outage } from '../../kernel/fault.ts';
import type { Ids } from '../../kernel/id.ts';
import { attachIdempotency, KeyTaken, type StoredReply } from '../../kernel/idempotency.ts';
import type { Log } from '../../kernel/log.ts';
import { latencyBuckets, type Metrics } from '../../kernel/metrics.ts';
import { redactText } from '../../kernel/redact.ts';
import { currentTraceparent, inSpan, traceparentOf } from '../../kernel/trace.ts';
import type { StoredReplies } from '../../ports/database/port.ts';
import { type AdmissionParts, type Admitted, makeAdmission } from './admission.ts';
import { makeEncode, mediaType } from './encode.ts';
import { fingerprint, readKey, withoutSecrets } from './idempotency.ts';
import { answerUnreadable, encodeProblem, framework, problemType } from './problem.ts';
import type { Allowance, RateLimit } from './rate-limit.ts';
import { makeRefusals, type RefusedAction } from './refusals.ts';
import { sendStream } from './stream.ts';
import { makeScoping, type Person, type Standing, type Tenants } from './tenancy.ts';
import { makeValidation } from './validation.ts';

/**
 * One mount for all routes. Each request passes the same stages in the same order: correlation, limits, authentication,
 * deny list, service accounts, tenant scope and authorisation, recent sign-in, rate limit, idempotency, validation,
 * handler, encoding.
 * A handler sees none of them and can neither reorder nor skip one. What a stage refuses is a `Fault`; what breaks is
 * thrown, logged whole, and answered with a correlation id and nothing else.
 */
export interface MountParts extends AdmissionParts {
  readonly handlers: readonly Mounted[];
  /** What must be served; handlers and routes have to match one to one. */
  readonly routes?: readonly Route[];
  readonly tenants: Tenants;
  readonly rateLimit: RateLimit;
  readonly replies: StoredReplies;
  readonly database: Database;
  readonly keyRetentionHours: () => number;
  readonly ids: Ids;
  readonly log: Log;
  readonly metrics: Metrics;
}

export interface Mount {
  readonly app: FastifyInstance;
  /** Takes no more requests, and waits for what they left to be written down. */
  close(): Promise<void>;
}

const bodyLimitBytes = 256 * 1_024;
const requestTimeoutMs = 30_000;
/** How long requests that are under way may take once the process stops. */
const drainMs = 10_000;
const hourMs = 3_600_000;
const aboutCredentials: ReadonlySet<string> = new Set([
  'step_up_required',
  'origin_refused',
  'service_account_refused',
  'personal_token_refused',
]);
const wellFormedRequestId = /^[A-Za-z0-9._:-]{1,128}$/;
const nobody: Person = { id: 'anonymous', kind: 'user', platformRoles: [] };

const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
} as const;

export async function openMount(parts: MountParts): Promise<Mount> {
  const app = fastify({
    bodyLimit: bodyLimitBytes,
    requestTimeout: requestTimeoutMs,
    routerOptions: { maxParamLength: 200, ignoreTrailingSlash: false },
    // Requests that are under way are answered before the process stops; while it does, our own 503 greets new ones.
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    logger: false,
    genReqId: (request) => {
      const offered = request.headers['x-request-id'];
      // An id is written into every log, row and event, so one that looks like a credential is not taken up.
      return typeof offered === 'string' && wellFormedRequestId.test(offered) && redactText(offered) === offered
        ? offered
        : parts.ids.next();
    },
    clientErrorHandler: (error, socket) => answerUnreadable(error, socket, parts.ids.next(), securityHeaders),
    // Fastify refuses some requests before any hook has run.
    frameworkErrors: (error, request, reply) => {
      reply.headers({ ...securityHeaders, 'x-request-id': request.id });
      answerError(parts, error, request, reply).then(
        () => undefined,
        (fault: unknown) => parts.log.error({ err: fault }, 'a refusal could not be sent'),
      );
    },
  });
  // Without this, text would reach validation as if it were a JSON string.
  app.removeContentTypeParser('text/plain');
  const refusals = makeRefusals(parts);
  const timings = parts.metrics.histogram(
    'gpuaas_http_request_duration_seconds',
    'Time from the arrival of a request to its answer.',
    ['route', 'method', 'status_class'],
    latencyBuckets,
  );
  const replays = parts.metrics.counter(
    'gpuaas_idempotency_replays_total',
    'Requests answered with a stored reply.',
    [],
  );

  const turnedAway = parts.metrics.counter(
    'gpuaas_auth_refusals_total',
    'Requests refused for what they were made with, by code.',
    ['code'],
  );

  const routes = parts.routes ?? everyRoute;
  let closing = false;
  const stopping = new AbortController();
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ ...securityHeaders, 'x-request-id': request.id });
    // Before the body is read: nobody waits for what will not be used.
    if (request.is404) return refuseUnknown(routes, request, reply);
    if (!closing) return;
    reply.header('retry-after', '1');
    return refuse(
      reply,
      request.id,
      new Fault('service_unavailable', 'This process is stopping: send the request again.'),
    );
  });
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'none';
    timings.observe(
      { route, method: request.method, status_class: `${Math.floor(reply.statusCode / 100)}xx` },
      reply.elapsedTime / 1_000,
    );
  });
  app.setErrorHandler((error: FastifyError, request, reply) => answerError(parts, error, request, reply));
  for (const { route, handle } of matched(parts.handlers, routes)) {
    const stages = makeStages(route, { ...parts, stopping: stopping.signal });
    app.route({
      method: route.method,
      url: route.path.replaceAll(/\{([a-z_]+)\}/g, ':$1'),
      handler: (request, reply) =>
        inSpan(
          `${route.method} ${route.path}`,
          {
            kind: SpanKind.SERVER,
            parent: header(request, 'traceparent'),
            attributes: { 'http.route': route.path, 'http.request.method': route.method, correlation_id: request.id },
          },
          async (span) => {
            const outcome = await stages(request, handle);
            span?.setAttribute('http.response.status_code', outcome.status);
            if (outcome.fault?.refused) {
              refusals.note(outcome.fault.viewer, outcome.fault.refused, route, outcome.fault.fault);
            }
            if (outcome.refusedFor) turnedAway.inc({ code: outcome.refusedFor });
            if (outcome.replayed) replays.inc();
            await failpoint('http.before-response', route.id);
            return reply.code(outcome.status).headers(outcome.headers).send(outcome.body);
          },
        ),
    });
  }
  return {
    app: app as unknown as FastifyInstance,
    close: async () => {
      closing = true;
      stopping.abort();
      const drained = new AbortController();
      const patience = parts.clock.sleep(drainMs, drained.signal).then(
        () => app.server.closeAllConnections(),
        () => undefined,
      );
      await app.close();
      drained.abort();
      await patience;
      await refusals.close();
    },
  };
}

function refuseUnknown(routes: readonly Route[], request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const path = request.url.split('?')[0] ?? '';
  const allowed = methodsOf(routes, path);
  if (allowed.length > 0) {
    reply.header('allow', allowed.join(', '));
    return refuse(reply, request.id, new Fault('method_not_allowed', `This path takes ${allowed.join(', ')}.`));
  }
  // The path is not repeated: people paste all kinds of things into paths.
  return refuse(reply, request.id, new Fault('route_not_found', 'There is no such path. /openapi.json lists all.'));
}

/** The methods that a path takes, whatever stands in the places of its parameters. */
function methodsOf(routes: readonly Route[], path: string): string[] {
  const given = path.split('/');
  const fits = ({ path: shape }: Route) => {
    const parts = shape.split('/');
    return parts.length === given.length && parts.every((part, at) => part.startsWith('{') || part === given[at]);
  };
  const methods = new Set<string>(routes.filter(fits).map(({ method }) => method));
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods].sort();
}

/** The server does not start with a promise it cannot keep, nor with a handler that nobody promised. */
function matched(handlers: readonly Mounted[], routes: readonly Route[]): readonly Mounted[] {
  const byId = new Map(handlers.map((mounted) => [mounted.route.id, mounted]));
  const missing = routes.filter((route) => !byId.has(route.id)).map((route) => route.id);
  const extra = [...byId.keys()].filter((id) => !routes.some((route) => route.id === id));
  const twice = handlers.map(({ route }) => route.id).filter((id, index, all) => all.indexOf(id) !== index);
  const faults = [
    ...missing.map((id) => `${id} has no handler`),
    ...extra.map((id) => `${id} has a handler but is not in the contract`),
    ...twice.map((id) => `${id} has two handlers`),
  ];
  if (faults.length > 0) throw new Error(`Routes and handlers do not match: ${faults.join('; ')}.`);
  return handlers;
}

interface Answered {
  readonly status: number;
  readonly headers: Record<string, string>;
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

function makeStages(route: Route, parts: MountParts & { readonly stopping: AbortSignal }) {
  const scoping = makeScoping(route, parts.tenants, () => parts.ids.next());
  const admission = makeAdmission(route, parts);
  const validate = makeValidation(route);
  const encode = makeEncode(route);
  const write = isWrite(route) ? route : undefined;
  const status = write?.status ?? 200;

  return async (request: FastifyRequest, handle: Mounted['handle']): Promise<Answered> => {
    const headers: Record<string, string> = { 'content-type': 'application/json; charset=utf-8' };
    const problem = (fault: Fault, viewer?: Viewer, refused?: RefusedAction): Answered => {
      const { status: code, body } = encodeProblem(fault, request.id);
      return {
        status: code,
        headers: { ...headers, 'content-type': problemType, ...(code === 401 && { 'www-authenticate': 'Bearer' }) },
        body,
        ...(viewer && { fault: { fault, viewer, refused } }),
        ...((code === 401 || aboutCredentials.has(fault.code)) && { refusedFor: fault.code }),
      };
    };

    // authentication, deny list
    const userAgent = redactText(header(request, 'user-agent')?.slice(0, 300) ?? '') || undefined;
    const browser = {
      cookie: header(request, 'cookie'),
      isWrite: write !== undefined,
      origin: header(request, 'origin'),
      site: header(request, 'sec-fetch-site'),
    };
    const admit = () =>
      admission.admit(header(request, 'authorization'), browser, { address: request.ip, userAgent }, request.id);
    let admitted: Admitted | undefined;
    if (route.auth.kind !== 'public') {
      const outcome = await admit();
      if (outcome instanceof Fault) {
        const { retry_after_seconds: wait } = (outcome.details ?? {}) as { retry_after_seconds?: number };
        if (wait) headers['retry-after'] = String(wait);
        return problem(outcome);
      }
      admitted = outcome;
    }
    const person = admitted?.person ?? nobody;
    const credential = admitted?.identity.credential;
    const base: Viewer = {
      actorId: person.id,
      actorKind: person.kind,
      actorRole: 'none',
      reach: 'self',
      organizationId: undefined,
      projectId: undefined,
      correlationId: request.id,
      traceparent: currentTraceparent() ?? traceparentOf(header(request, 'traceparent')),
      address: request.ip,
      userAgent,
      ...(credential && { credential }),
    };

    // service accounts and personal tokens, tenant scope and authorisation, recent sign-in
    const allowed: Standing | Fault =
      (admitted && admission.kindRefused(admitted)) ??
      (await scoping(person, credential?.scopes, {
        params: request.params as Record<string, string>,
        projectHeader: header(request, 'x-project-id') ?? projectInQuery(route, request),
      }));
    const standing: Standing | Fault =
      allowed instanceof Fault || !admitted
        ? allowed
        : (admission.stepUp(admitted.identity, { ...allowed, actorId: person.id }) ?? allowed);

    const viewer: Viewer = standing instanceof Fault ? base : { ...base, ...standing };

    // rate limit: refused callers spend their budget too
    const caller = route.auth.kind === 'public' ? `address:${request.ip}` : person.id;
    const allowance = await parts.rateLimit(route.lane, caller, viewer);
    rateHeaders(headers, route, allowance);
    if (!allowance.allowed) {
      headers['retry-after'] = String(allowance.resetSeconds);
      const fault = new Fault('rate_limit_exceeded', `Too many requests: come back in ${allowance.resetSeconds} s.`, {
        lane: route.lane,
        limit: allowance.limit,
      });
      return problem(fault, base, allowance.firstRefusal ? 'rate_limit.block' : undefined);
    }
    if (standing instanceof Fault) {
      // What is gone may be gone by this very request, whose answer was lost: it is told again to whoever asked then.
      const retold = write && errors[standing.code].status === 404 ? await retell() : undefined;
      if (retold) return retold;
      const unclear = ['validation_error', 'project_required', 'project_mismatch'].includes(standing.code);
      return problem(standing, base, unclear ? undefined : 'authz.deny');
    }
    // idempotency, validation
    const key = readKey(route, request.headers);
    if (key instanceof Fault) return problem(key);
    const input = validate({ params: request.params, query: queryOf(route, request), body: request.body });
    if (input instanceof Fault) return problem(input);

    // handler, encoding
    if (!write) {
      const value = await handle(viewer, input);
      if (value instanceof Fault) return problem(value);
      headers['content-type'] = mediaType(route, input.query);
      if (!isStream(route)) return { status, headers, body: encode(value) };
      const mayStay = async () => {
        const again = await admit();
        if (again instanceof Fault) return false;
        const { params } = request as { params: Record<string, string> };
        const projectHeader = viewer.projectId;
        return !(
          (await scoping(again.person, again.identity.credential.scopes, { params, projectHeader })) instanceof Fault
        );
      };
      const gone = new AbortController();
      request.raw.once('close', () => gone.abort());
      const signal = AbortSignal.any([gone.signal, parts.stopping]);
      return {
        status,
        headers,
        body: sendStream(value as AsyncIterable<string>, { mayStay, clock: parts.clock, signal }),
      };
    }
    const act = makeAct(viewer, write.audit, parts.ids.next());
    const print = fingerprint(request.url, header(request, 'x-project-id'), request.body);
    let body: string | undefined;
    if (key !== undefined) {
      attachIdempotency(act, {
        principal: person.id,
        route: route.id,
        key,
        fingerprint: print,
        expiresAt: new Date(parts.clock.now().getTime() + parts.keyRetentionHours() * hourMs),
        encode: (value) => {
          body = encode(value);
          return { status, kept: route.shownOnce ? JSON.stringify(withoutSecrets(value, route.shownOnce)) : body };
        },
      });
    }
    try {
      const outcome = await handle(act, input);
      if (outcome instanceof Fault) {
        return problem(outcome, viewer, refusalOf(outcome));
      }
      return { status, headers, body: body ?? encode((outcome as { value: unknown }).value) };
    } catch (error) {
      if (!(error instanceof KeyTaken) || key === undefined) throw error;
      return replay(error.stored, print);
    }

    function replay(stored: StoredReply | undefined, asked: string): Answered {
      if (!stored) {
        headers['retry-after'] = '1';
        return problem(
          new Fault('idempotency_in_progress', 'A request with this key is still running: ask again in a second.'),
        );
      }
      if (stored.fingerprint !== asked) {
        return problem(
          new Fault('idempotency_key_reused', 'This Idempotency-Key was used for another request: take a new one.'),
        );
      }
      return told(stored);
    }

    async function retell(): Promise<Answered | undefined> {
      const given = readKey(route, request.headers);
      if (given instanceof Fault || given === undefined) return undefined;
      const stored = await parts.replies.find(person.id, route.id, given);
      // Nothing has looked at the body yet, and only a valid one can be the one that was answered.
      const { params, query, body: sent } = request;
      if (!stored || validate({ params, query, body: sent }) instanceof Fault) return undefined;
      const asked = fingerprint(request.url, header(request, 'x-project-id'), request.body);
      return stored.fingerprint === asked ? told(stored) : undefined;
    }

    function told(stored: StoredReply): Answered {
      return {
        status: stored.status,
        headers: { ...headers, 'idempotency-replayed': 'true' },
        body: stored.body,
        replayed: true,
      };
    }
  };
}

const isStream = (route: Route): boolean => route.method === 'GET' && route.stream === true;

/** EventSource sets no headers of its own choosing: the project stands in the query, the last event in a header. */
function projectInQuery(route: Route, request: FastifyRequest): string | undefined {
  const { project_id: named } = request.query as { project_id?: unknown };
  return isStream(route) && typeof named === 'string' ? named : undefined;
}
function queryOf(route: Route, request: FastifyRequest): unknown {
  const last = isStream(route) ? header(request, 'last-event-id') : undefined;
  return last === undefined ? request.query : { ...(request.query as object), after: last };
}

/** What a handler refuses is worth a row when it is about rights, as it is when the mount refuses it. */
function refusalOf(fault: Fault): RefusedAction | undefined {
  if (fault.code === 'policy_out_of_bounds') return 'policy.bound_violation';
  return errors[fault.code].status === 403 ? 'authz.deny' : undefined;
}

function rateHeaders(headers: Record<string, string>, route: Route, allowance: Allowance): void {
  headers['ratelimit-policy'] = `"${route.lane}";q=${allowance.limit};w=60`;
  headers['ratelimit'] = `"${route.lane}";r=${allowance.remaining};t=${allowance.resetSeconds}`;
}

const header = (request: FastifyRequest, name: string): string | undefined => {
  const value = request.headers[name];
  return typeof value === 'string' ? value : undefined;
};

function refuse(reply: FastifyReply, correlationId: string, fault: Fault): FastifyReply {
  const { status, body } = encodeProblem(fault, correlationId);
  return reply.code(status).header('content-type', problemType).send(body);
}

/** Postgres is away, or too busy to take another connection. */
const isOutage = (error: unknown): boolean => {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return (
    error instanceof Outage ||
    (typeof code === 'string' && /^(?:08|53|57P)|^E(?:CONN|PIPE|NOTFOUND|AI_AGAIN|TIMEDOUT|HOSTUNREACH)/.test(code)) ||
    (typeof message === 'string' && /timeout exceeded when trying to connect|Connection terminated/.test(message))
  );
};

function answerError(
  parts: MountParts,
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const own = framework[error.code];
  if (own) return refuse(reply, request.id, new Fault(own.code, own.message));
  if (error.statusCode === 400)
    return refuse(reply, request.id, new Fault('invalid_request', 'The request could not be read.'));
  parts.log.error({ err: error, correlation_id: request.id, route: request.routeOptions?.url }, 'a request failed');
  if (isOutage(error)) {
    reply.header('retry-after', '1');
    return refuse(
      reply,
      request.id,
      new Fault('service_unavailable', 'A service that this needs does not answer: try again.'),
    );
  }
  return refuse(
    reply,
    request.id,
    new Fault('internal_error', 'Something failed on our side. The correlation id finds it.'),
  );
}
