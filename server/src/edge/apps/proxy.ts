import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { appIngressRoutes } from '@gpuaas/contract/ingress';
import type { Clock } from '../../kernel/clock.ts';
import type { Ids } from '../../kernel/id.ts';
import { startReconciler } from '../../kernel/process/reconciler.ts';
import type { Log } from '../../kernel/telemetry/log.ts';
import { latencyBuckets, type Metrics } from '../../kernel/telemetry/metrics.ts';
import { secondMs } from '../../kernel/units.ts';
import type { IsTrustedProxy } from '../gate/proxies.ts';
import type { InternalClient } from '../internal/client.ts';
import type { ProcessIdentity } from '../internal/process-identity.ts';
import { nowMs } from '../terminal/later.ts';
import { type AdmissionLimits, makeAdmissionBudget } from './admission-budget.ts';
import {
  type AdmissionCache,
  type AdmissionQuery,
  type Admitted,
  type Credential,
  makeAdmissionCache,
} from './admission-cache.ts';
import { answerError, type ProxyErrorCode, proxyErrors, refuseSocket } from './error-page.ts';
import { carry, carryUpgrade, type Exchange, type ExchangeLimits } from './exchange.ts';
import { type CookieNames, cookieNames, readCookie } from './headers.ts';
import { type AppsAddress, originOf, readLabel } from './host-name.ts';
import { makeOpenExchanges, type OpenExchanges } from './open-exchanges.ts';
import { makeReportUse } from './report-use.ts';
import { type ConnectionSeats, makeConnectionSeats, type SeatLimits } from './seats.ts';
import { callbackPath, makeSignIn, ownPath } from './sign-in.ts';
import { openTunnelListener, type TunnelListener, type TunnelListenerParts } from './tunnel-listener.ts';
import { makeUseCounts, type Tally, type UseCounts } from './use-counts.ts';

export interface AppProxyLimits extends ExchangeLimits, AdmissionLimits, SeatLimits {
  readonly connections: number;
  /** Requests and WebSockets of one route at the same time. */
  readonly perRoute: number;
  readonly headersMs: number;
  /** How long a decision of the api is cached, and how often open exchanges are admitted again. */
  readonly cacheMs: number;
  readonly recheckMs: number;
  readonly maxCached: number;
  readonly outageMs: number;
  readonly askMs: number;
  /** How often counts are reported. */
  readonly reportMs: number;
  readonly nodes: TunnelListenerParts['limits'];
}
export const usualAppProxyLimits: AppProxyLimits = {
  ...{ connections: 12_000, perRoute: 200, headersMs: 15 * secondMs },
  // A quarter of the connections for each organization, half for connections without an admitted request.
  ...{ perOrganization: 3_000, strangeConnections: { perAddress: 256, inTotal: 6_000 } },
  ...{ answerMs: 120 * secondMs, idleMs: 300 * secondMs, socketIdleMs: 3_600 * secondMs },
  // Together below five seconds: a revoked right ends open exchanges within that time.
  ...{ cacheMs: 2 * secondMs, recheckMs: 2 * secondMs, maxCached: 20_000 },
  // Unknown callers use at most half of the connections to the api.
  ...{ strangers: { perMinute: 600, perAddress: 16, inTotal: 32 }, knownInFlight: 1_000 },
  ...{ outageMs: 30 * secondMs, askMs: 2 * secondMs, reportMs: 60 * secondMs },
  nodes: {
    ...{ tunnels: 24_000, tunnelsPerNode: 2, dialsPerMinute: 30, recheckMs: 30 * secondMs },
    strangers: { perAddress: 1_000, inTotal: 4_000 },
  },
};
export interface AppProxySettings {
  readonly host: string;
  readonly port: number;
  readonly nodeHost: string;
  readonly nodePort: number;
  readonly address: AppsAddress;
  readonly isTrustedProxy: IsTrustedProxy;
  readonly limits: AppProxyLimits;
}
export interface AppProxyParts {
  readonly identity: ProcessIdentity;
  /** Asks about nodes and about what is open. */
  readonly client: Pick<InternalClient, 'ask'>;
  /** Asks about callers, over connections of its own: a flood of callers must not delay the other questions. */
  readonly callers: Pick<InternalClient, 'ask'>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly metrics: Metrics;
}
export interface AppProxy {
  readonly port: number;
  readonly nodePort: number;
  readonly tunnels: number;
  readonly open: number;
  close(): Promise<void>;
}

/** What every request needs. */
interface ProxyContext {
  readonly settings: AppProxySettings;
  readonly parts: AppProxyParts;
  readonly tunnelListener: TunnelListener;
  readonly cache: AdmissionCache;
  readonly open: OpenExchanges;
  readonly uses: UseCounts;
  readonly seats: ConnectionSeats;
  readonly cookies: CookieNames;
  readonly signIn: ReturnType<typeof makeSignIn>;
  readonly record: (outcome: 'carried' | ProxyErrorCode, seconds: number) => void;
}
const maxHeaderBytes = 32 * 1_024;
/** How often connections are checked that have not sent the headers of a request in time. */
const checkHeadersMs = 5 * secondMs;

/** One copy of the app-proxy. It has no state of its own: the api decides who may call, and nodes dial their tunnels to it. */
export async function openAppProxy(settings: AppProxySettings, parts: AppProxyParts): Promise<AppProxy> {
  const { limits, address } = settings;
  const { client, callers, clock, log } = parts;
  const cookies = cookieNames(address.isSecure);
  const tunnelListener = await openTunnelListener({
    ...{ host: settings.nodeHost, port: settings.nodePort, identity: parts.identity, limits: limits.nodes, clock, log },
    async admitNode({ nodeId, serial }) {
      const body = { node_id: nodeId, certificate_serial: serial };
      const answer = await client.ask(appIngressRoutes.admitNode, body, { withinMs: limits.askMs });
      return answer.ok && answer.value.admitted;
    },
  });
  const budget = makeAdmissionBudget({ clock, limits });
  const cache = makeAdmissionCache({
    ...{ client, callers, budget },
    ...{ clock, cacheMs: limits.cacheMs, maxCached: limits.maxCached, withinMs: limits.askMs },
  });
  const open = makeOpenExchanges({
    ...{ cache, clock, log, everyMs: limits.recheckMs, outageMs: limits.outageMs },
  });
  const uses = makeUseCounts(clock);
  const report = makeReportUse({
    ...{ counts: uses, client, ids: parts.ids, metrics: parts.metrics, withinMs: limits.askMs },
  });
  const reporting = startReconciler(report, { clock, log, everyMs: limits.reportMs });
  const proxy: ProxyContext = {
    uses,
    seats: makeConnectionSeats({ ...limits, isTrustedProxy: settings.isTrustedProxy }),
    record: makeRecord(parts.metrics, tunnelListener, open),
    ...{ settings, parts, tunnelListener, cache, open, cookies },
    signIn: makeSignIn({ client: callers, budget, address, cookies, ids: parts.ids, clock }),
  };
  const sockets = new Set<Duplex>();
  const server = createServer(
    {
      ...{ maxHeaderSize: maxHeaderBytes, headersTimeout: limits.headersMs, requestTimeout: 0 },
      connectionsCheckingInterval: Math.min(checkHeadersMs, limits.headersMs),
      ...{ insecureHTTPParser: false, requireHostHeader: true, noDelay: true, keepAliveTimeout: 60_000 },
    },
    (request, response) => {
      // Writing after the caller has left is an error of this response only.
      response.on('error', () => response.destroy());
      serve(proxy, request, response).catch((error: unknown) => {
        log.error({ err: error }, 'a request to an application failed');
        response.destroy();
      });
    },
  );
  server.maxConnections = limits.connections;
  server.setTimeout(limits.idleMs);
  server.on('connection', (socket) => {
    if (!proxy.seats.take(socket)) return void socket.destroy();
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    serveUpgrade(proxy, request, socket, head).catch((error: unknown) => {
      log.error({ err: error }, 'an upgrade to an application failed');
      socket.destroy();
    });
  });
  // CONNECT would make this an open proxy.
  server.on('connect', (_request, socket) => socket.destroy());
  server.on('clientError', (_error, socket) => {
    if (socket.writable) refuseSocket(socket, 'malformed', parts.ids.next());
    else socket.destroy();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(settings.port, settings.host, () => resolve());
  });
  return {
    port: (server.address() as AddressInfo).port,
    nodePort: tunnelListener.port,
    get tunnels() {
      return tunnelListener.tunnels;
    },
    get open() {
      return open.size;
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      await open.close();
      open.endAll();
      for (const socket of sockets) socket.destroy();
      await closed;
      await reporting.close();
      // Counts since the last report. They are lost if the api does not answer any more.
      await report.round(new AbortController().signal).catch(() => undefined);
      await tunnelListener.close();
    },
  };
}

function makeRecord(metrics: Metrics, tunnelListener: TunnelListener, open: OpenExchanges): ProxyContext['record'] {
  const requests = metrics.counter(
    'gpuaas_app_proxy_requests_total',
    'Requests to applications, by outcome and by the part that failed.',
    ['outcome', 'failed_part'],
  );
  const durations = metrics.histogram(
    'gpuaas_app_proxy_request_seconds',
    'Duration of a request to an application until the end of its response.',
    ['outcome'],
    latencyBuckets,
  );
  const tunnels = metrics.gauge('gpuaas_app_proxy_tunnels', 'Tunnels of nodes that this copy has.', []);
  const openExchanges = metrics.gauge('gpuaas_app_proxy_open', 'Requests and WebSockets that are open.', []);
  metrics.onScrape(async () => {
    tunnels.set(tunnelListener.tunnels);
    openExchanges.set(open.size);
  });
  return (outcome, seconds) => {
    requests.inc({ outcome, failed_part: outcome === 'carried' ? 'none' : proxyErrors[outcome].failedPart });
    durations.observe({ outcome: outcome === 'carried' ? 'carried' : 'failed' }, seconds);
  };
}

async function serve(proxy: ProxyContext, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { parts } = proxy;
  const correlationId = parts.ids.next();
  const beganMs = nowMs(parts.clock);
  const wantsPage = (request.headers.accept ?? '').includes('text/html');
  const outcome = await handle(proxy, request, response, correlationId, wantsPage);
  proxy.record(outcome ?? 'carried', (nowMs(parts.clock) - beganMs) / secondMs);
  if (outcome === undefined) return;
  // Unknown callers are counted and not logged: a flood of them would fill the log.
  if (proxyErrors[outcome].failedPart !== 'caller' && outcome !== 'overloaded') {
    parts.log.warn({ correlation_id: correlationId, outcome }, 'an application was not reached');
  }
  answerError(response, outcome, { correlationId, wantsPage });
}

async function handle(
  proxy: ProxyContext,
  request: IncomingMessage,
  response: ServerResponse,
  correlationId: string,
  wantsPage: boolean,
): Promise<ProxyErrorCode | undefined> {
  const label = readLabel(request, proxy.settings.address);
  if (label === undefined) return 'malformed';
  const path = request.url?.split('?', 1)[0] ?? '/';
  if (path === callbackPath && request.method === 'GET') {
    const isIn = await proxy.signIn.finish(queryOf(proxy, request, label), request, response).catch(() => undefined);
    if (typeof isIn === 'string') return isIn;
    return isIn === undefined ? 'unavailable' : isIn ? undefined : 'sign_in';
  }
  if (isProxyPath(path)) return 'refused';
  const query = queryOf(proxy, request, label);
  const admission = await proxy.cache.decide(query);
  if (typeof admission !== 'object') return admission ?? 'unavailable';
  if (admission.decision === 'sign_in' && admission.sign_in_url !== null && wantsPage && request.method === 'GET') {
    proxy.signIn.begin(request, response, admission.sign_in_url);
    return undefined;
  }
  if (admission.decision !== 'admitted') return admission.decision;
  if (isCrossOrigin(proxy, request, label, admission)) return 'cross_origin';
  return runWithinLimit(proxy, query, admission, { socket: request.socket, stream: response }, (tally) =>
    carry(
      proxy.tunnelListener,
      { ...proxy.settings.limits, clock: proxy.parts.clock },
      exchangeOf(proxy, request, query, admission, { correlationId, tally }),
      request,
      response,
    ),
  );
}

/** Paths of the proxy never reach an application, also with encoded characters or other case. */
function isProxyPath(path: string): boolean {
  const own = ownPath.slice(0, -1);
  const folded = path.replaceAll(/%2e/gi, '.').replaceAll(/%2f/gi, '/').toLowerCase();
  return folded.split('/').some((part, at) => at === 1 && part === own.slice(1));
}

/** Runs an exchange as one of those that are open, within the limits of its route and of its organization. */
async function runWithinLimit(
  proxy: ProxyContext,
  query: AdmissionQuery,
  admitted: Admitted,
  of: { readonly socket: Duplex; readonly stream: { destroy(): unknown } },
  run: (tally: Tally) => Promise<ProxyErrorCode | undefined>,
): Promise<ProxyErrorCode | undefined> {
  const { perRoute, perOrganization } = proxy.settings.limits;
  const { organization_id: organizationId } = admitted;
  if (proxy.open.countOf(query.label) >= perRoute) return 'busy';
  if (proxy.open.countOfOrganization(organizationId) >= perOrganization) return 'busy';
  if (!proxy.seats.admit(of.socket, organizationId)) return 'busy';
  const leave = proxy.open.add(query, admitted, () => of.stream.destroy());
  const tally = proxy.uses.begin(admitted);
  try {
    const errorCode = await run(tally);
    if (errorCode !== undefined) tally.failures += 1;
    return errorCode;
  } finally {
    leave();
    proxy.uses.end(tally);
  }
}

async function serveUpgrade(
  proxy: ProxyContext,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): Promise<void> {
  const correlationId = proxy.parts.ids.next();
  const beganMs = nowMs(proxy.parts.clock);
  const outcome = await handleUpgrade(proxy, request, { socket, head }, correlationId);
  proxy.record(outcome ?? 'carried', (nowMs(proxy.parts.clock) - beganMs) / secondMs);
  if (outcome !== undefined && !socket.destroyed) refuseSocket(socket, outcome, correlationId);
}

async function handleUpgrade(
  proxy: ProxyContext,
  request: IncomingMessage,
  client: { readonly socket: Duplex; readonly head: Buffer },
  correlationId: string,
): Promise<ProxyErrorCode | undefined> {
  const label = readLabel(request, proxy.settings.address);
  const isPlain =
    request.method === 'GET' &&
    request.headers.upgrade?.toLowerCase() === 'websocket' &&
    request.headers['content-length'] === undefined &&
    request.headers['transfer-encoding'] === undefined;
  if (label === undefined || !isPlain) return 'malformed';
  if (isProxyPath(request.url?.split('?', 1)[0] ?? '/')) return 'refused';
  const query = queryOf(proxy, request, label);
  const admission = await proxy.cache.decide(query);
  if (typeof admission !== 'object') return admission ?? 'unavailable';
  if (admission.decision !== 'admitted') return admission.decision;
  if (isCrossOrigin(proxy, request, label, admission)) return 'cross_origin';
  return runWithinLimit(proxy, query, admission, { socket: client.socket, stream: client.socket }, (tally) =>
    carryUpgrade(
      proxy.tunnelListener,
      { ...proxy.settings.limits, clock: proxy.parts.clock },
      exchangeOf(proxy, request, query, admission, { correlationId, tally }),
      request,
      client,
    ),
  );
}

function queryOf({ settings, cookies }: ProxyContext, request: IncomingMessage, label: string): AdmissionQuery {
  return {
    label,
    credential: credentialOf(request, cookies),
    address: addressOf(request, settings.isTrustedProxy),
  };
}

function credentialOf(request: IncomingMessage, cookies: CookieNames): Credential {
  const secret = readCookie(request.headers.cookie, cookies.session);
  if (secret !== undefined && /^[\w-]{20,128}$/.test(secret)) return { kind: 'session', secret };
  const token = /^Bearer +([\x21-\x7e]{1,8192})$/i.exec(request.headers.authorization ?? '')?.[1];
  return token === undefined ? { kind: 'none' } : { kind: 'bearer', token };
}

/** The caller's address: the last one in X-Forwarded-For that a trusted proxy did not write. */
function addressOf(request: IncomingMessage, isTrusted: IsTrustedProxy): string {
  // IPv4 inside IPv6 is IPv4.
  let address = (request.socket.remoteAddress ?? 'unknown').replace(/^::ffff:(?=\d+\.)/i, '');
  const forwarded = String(request.headers['x-forwarded-for'] ?? '').split(',');
  while (isTrusted(address)) {
    const before = forwarded.pop()?.trim();
    if (!before) break;
    address = before;
  }
  return address.slice(0, 64);
}

/**
 * Applications share a site but not an origin, so browsers send our cookie with requests of pages of other applications. A write and a
 * WebSocket must come from a page of this application. Other pages may link to it, and may not frame it: a page over the frame could
 * steal clicks.
 */
function isCrossOrigin(
  { settings }: ProxyContext,
  request: IncomingMessage,
  label: string,
  { route }: Admitted,
): boolean {
  if (route.family !== 'browser') return false;
  const own = originOf(settings.address, label);
  const { origin, upgrade } = request.headers;
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (upgrade !== undefined) return origin !== own;
  if (origin !== undefined && origin !== own) return true;
  const site = request.headers['sec-fetch-site'];
  const { 'sec-fetch-mode': mode, 'sec-fetch-dest': dest } = request.headers;
  const isNavigation = mode === 'navigate' && dest === 'document' && isRead;
  return (site === 'cross-site' || site === 'same-site') && !isNavigation;
}

const exchangeOf = (
  { settings, cookies }: ProxyContext,
  request: IncomingMessage,
  { label, address }: AdmissionQuery,
  admitted: Admitted,
  of: Pick<Exchange, 'correlationId' | 'tally'>,
): Exchange => ({
  ...{ admitted, label, address, cookies, ...of },
  host: request.headers.host ?? label,
  isSecure: settings.address.isSecure,
});
