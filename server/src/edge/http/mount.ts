import { routes as everyRoute, type Route } from '@gpuaas/contract';
import fastify, { type FastifyError, type FastifyInstance } from 'fastify';
import type { Database, Mounted } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Log } from '../../kernel/telemetry/log.ts';
import { latencyBuckets } from '../../kernel/telemetry/metrics.ts';
import { redactText } from '../../kernel/telemetry/redact.ts';
import type { Page } from '../../ports/identity-provider/port.ts';
import { makePass, type PassParts } from '../gate/pass.ts';
import { makeRefusals, type Refused } from './admission/refusals.ts';
import { boundArrival, slowestUploadMs } from './body/arrival.ts';
import { answerError, refuse } from './failures.ts';
import { mountRoute } from './mount-route.ts';
import { answerUnreadable } from './problem.ts';
import { makeStages, type StageParts } from './stages.ts';
import { refuseUnknown } from './unknown-path.ts';

/**
 * One mount for all routes. Each request gets a correlation id and its limits, and passes the [stages](stages.ts) of its
 * route, the same in the same order for all. A handler sees none of them and can neither reorder nor skip one. What a
 * stage refuses is a `Fault`; what breaks is thrown, logged whole, and answered with a correlation id and nothing else.
 */
export interface MountParts extends Omit<StageParts, 'stopping'>, PassParts {
  readonly handlers: readonly Mounted[];
  /** What must be served; handlers and routes have to match one to one. */
  readonly routes?: readonly Route[];
  /** What a browser is shown at an address where there is nothing. */
  readonly lost?: Page;
  /** Whether callers use https, so that browsers may be required to (HSTS). */
  readonly isHttps?: boolean;
  readonly database: Database;
  readonly log: Log;
}

export interface Mount {
  readonly app: FastifyInstance;
  /** Takes no more requests, and waits for what they left to be written down. */
  close(): Promise<void>;
}

const bodyLimitBytes = 256 * 1_024;
/** How long requests that are under way may take once the process stops. */
const drainMs = 10_000;
const wellFormedRequestId = /^[A-Za-z0-9._:-]{1,128}$/;

const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
} as const;
/** Browsers then come by https alone, for two years after the last visit. */
const onlyByHttps = { 'strict-transport-security': 'max-age=63072000' } as const;

export async function openMount(parts: MountParts): Promise<Mount> {
  const headers = parts.isHttps ? { ...securityHeaders, ...onlyByHttps } : securityHeaders;
  const app = fastify({
    bodyLimit: bodyLimitBytes,
    trustProxy: parts.proxies.isTrusted,
    requestTimeout: slowestUploadMs,
    routerOptions: { maxParamLength: 200, ignoreTrailingSlash: false },
    // Requests that are under way are answered before the process stops; while it does, our own 503 greets new ones.
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    logger: false,
    genReqId: (request) => {
      const offered = request.headers['x-request-id'];
      // A request id is written into logs, rows and events, so one that looks like a credential is replaced.
      return typeof offered === 'string' && wellFormedRequestId.test(offered) && redactText(offered) === offered
        ? offered
        : parts.ids.next();
    },
    clientErrorHandler: (error, socket) => answerUnreadable(error, socket, parts.ids.next(), headers),
    // Fastify refuses some requests before any hook has run.
    frameworkErrors: (error, request, reply) => {
      reply.headers({ ...headers, 'x-request-id': request.id });
      answerError(parts, error, request, reply).then(
        () => undefined,
        (fault: unknown) => parts.log.error({ err: fault }, 'a refusal could not be sent'),
      );
    },
  });
  // Without this, text would reach validation as if it were a JSON string.
  app.removeContentTypeParser('text/plain');
  boundArrival(app, parts.clock, (error, socket) => answerUnreadable(error, socket, parts.ids.next(), headers));
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
  const pass = makePass(parts);
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ ...headers, 'x-request-id': request.id });
    // Before the body is read, so that a request that will be refused does not wait for it.
    if (request.is404) return refuseUnknown(routes, request, reply, parts.lost);
    if (!closing) return pass(request, reply);
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
  for (const mounted of matched(parts.handlers, routes)) {
    const stages = makeStages(mounted.route, { ...parts, stopping: stopping.signal });
    mountRoute(app, { ...mounted, stages, clock: parts.clock }, (outcome) => {
      const { fault } = outcome;
      if (fault?.refused) refusals.note(fault.viewer, fault.refused, refusedOf(mounted.route, fault.fault));
      if (outcome.refusedFor) turnedAway.inc({ code: outcome.refusedFor });
      if (outcome.replayed) replays.inc();
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

const refusedOf = ({ id }: Route, { code }: Fault): Refused => ({ target: { type: 'route', id }, change: { code } });

/** The server does not start with a route without a handler, nor with a handler without a route. */
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
