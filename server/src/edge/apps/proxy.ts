import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { appIngressRoutes } from '@gpuaas/contract/ingress';
import type { Clock } from '../../kernel/clock.ts';
import type { Ids } from '../../kernel/id.ts';
import type { Log } from '../../kernel/telemetry/log.ts';
import { latencyBuckets, type Metrics } from '../../kernel/telemetry/metrics.ts';
import { secondMs } from '../../kernel/units.ts';
import type { IsTrustedProxy } from '../gate/proxies.ts';
import type { InternalClient } from '../internal/client.ts';
import type { ProcessIdentity } from '../internal/process-identity.ts';
import { nowMs } from '../terminal/later.ts';
import { type Admissions, type Admitted, type Credential, makeAdmissions, type Question } from './admissions.ts';
import { carry, carryUpgrade, type Exchange, type ExchangeLimits } from './exchange.ts';
import { type CookieNames, cookieNames, readCookie } from './headers.ts';
import { type AppsAddress, originOf, readLabel } from './host-name.ts';
import { type NodeDoor, type NodeDoorParts, openNodeDoor } from './node-door.ts';
import { makeOpenExchanges, type OpenExchanges } from './open-exchanges.ts';
import { makeQuestions, type QuestionLimits } from './questions.ts';
import { type ConnectionSeats, makeConnectionSeats, type SeatLimits } from './seats.ts';
import { callbackPath, makeSignIn, ownPath } from './sign-in.ts';
import { answerTrouble, refuseSocket, type TroubleName, troubles } from './trouble-page.ts';

export interface AppProxyLimits extends ExchangeLimits, QuestionLimits, SeatLimits {
  readonly connections: number;
  /** Requests and WebSockets of one route at the same time. */
  readonly perRoute: number;
  readonly headersMs: number;
  /** How long a decision of the api counts, and how often what is open is asked for again. */
  readonly rememberMs: number;
  readonly lookAgainMs: number;
  readonly mostRemembered: number;
  readonly outageMs: number;
  readonly askMs: number;
  readonly nodes: NodeDoorParts['limits'];
}
export const usualAppProxyLimits: AppProxyLimits = {
  ...{ connections: 12_000, perRoute: 200, headersMs: 15 * secondMs },
  // A quarter of the copy for each organization, a half for all who were not let in yet.
  ...{ perOrganization: 3_000, strangeConnections: { perAddress: 256, inTotal: 6_000 } },
  ...{ answerMs: 120 * secondMs, idleMs: 300 * secondMs, socketIdleMs: 3_600 * secondMs },
  // Together below five seconds: a right that is taken away ends what is open within them.
  ...{ rememberMs: 2 * secondMs, lookAgainMs: 2 * secondMs, mostRemembered: 20_000 },
  // Of the connections to the api that callers have, strangers fill a half at most.
  ...{ strangers: { perMinute: 600, perAddress: 16, inTotal: 32 }, questions: 1_000 },
  ...{ outageMs: 30 * secondMs, askMs: 2 * secondMs },
  nodes: {
    ...{ tunnels: 24_000, tunnelsPerNode: 2, dialsPerMinute: 30, lookAgainMs: 30 * secondMs },
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
  /** Asks about callers, over connections of its own: a flood of them must not hold the other questions up. */
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
interface Desk {
  readonly settings: AppProxySettings;
  readonly parts: AppProxyParts;
  readonly door: NodeDoor;
  readonly admissions: Admissions;
  readonly open: OpenExchanges;
  readonly seats: ConnectionSeats;
  readonly cookies: CookieNames;
  readonly signIn: ReturnType<typeof makeSignIn>;
  readonly count: (outcome: 'carried' | TroubleName, seconds: number) => void;
}
const maxHeaderBytes = 32 * 1_024;
/** How often connections are looked at that have not sent the headers of a request in time. */
const checkHeadersMs = 5 * secondMs;

/** One copy of the app-proxy. It decides nothing and keeps nothing: the api says who may, and nodes have the way in. */
export async function openAppProxy(settings: AppProxySettings, parts: AppProxyParts): Promise<AppProxy> {
  const { limits, address } = settings;
  const { client, callers, clock, log } = parts;
  const cookies = cookieNames(address.isSecure);
  const door = await openNodeDoor({
    ...{ host: settings.nodeHost, port: settings.nodePort, identity: parts.identity, limits: limits.nodes, clock, log },
    async admitNode({ nodeId, serial }) {
      const body = { node_id: nodeId, certificate_serial: serial };
      const said = await client.ask(appIngressRoutes.admitNode, body, { withinMs: limits.askMs });
      return said.ok && said.value.admitted;
    },
  });
  const questions = makeQuestions({ clock, limits });
  const admissions = makeAdmissions({
    ...{ client, callers, questions },
    ...{ clock, rememberMs: limits.rememberMs, mostRemembered: limits.mostRemembered, withinMs: limits.askMs },
  });
  const open = makeOpenExchanges({
    ...{ admissions, clock, log, everyMs: limits.lookAgainMs, outageMs: limits.outageMs },
  });
  const desk: Desk = {
    seats: makeConnectionSeats({ ...limits, isTrustedProxy: settings.isTrustedProxy }),
    ...{ settings, parts, door, admissions, open, cookies, count: makeCount(parts.metrics, door, open) },
    signIn: makeSignIn({ client: callers, questions, address, cookies, ids: parts.ids, clock }),
  };
  const sockets = new Set<Duplex>();
  const server = createServer(
    {
      ...{ maxHeaderSize: maxHeaderBytes, headersTimeout: limits.headersMs, requestTimeout: 0 },
      connectionsCheckingInterval: Math.min(checkHeadersMs, limits.headersMs),
      ...{ insecureHTTPParser: false, requireHostHeader: true, noDelay: true, keepAliveTimeout: 60_000 },
    },
    (request, response) => {
      // What is written after the caller has gone is an error of the response, and ends nothing but that.
      response.on('error', () => response.destroy());
      serve(desk, request, response).catch((error: unknown) => {
        log.error({ err: error }, 'a request to an application failed');
        response.destroy();
      });
    },
  );
  server.maxConnections = limits.connections;
  server.setTimeout(limits.idleMs);
  server.on('connection', (socket) => {
    if (!desk.seats.take(socket)) return void socket.destroy();
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    serveUpgrade(desk, request, socket, head).catch((error: unknown) => {
      log.error({ err: error }, 'an upgrade to an application failed');
      socket.destroy();
    });
  });
  // CONNECT would make this a way to anywhere.
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
    nodePort: door.port,
    get tunnels() {
      return door.tunnels;
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
      await door.close();
    },
  };
}

function makeCount(metrics: Metrics, door: NodeDoor, open: OpenExchanges): Desk['count'] {
  const requests = metrics.counter(
    'gpuaas_app_proxy_requests_total',
    'Requests to applications, by what became of them and by who broke.',
    ['outcome', 'broke'],
  );
  const durations = metrics.histogram(
    'gpuaas_app_proxy_request_seconds',
    'How long a request to an application took, with its answer.',
    ['outcome'],
    latencyBuckets,
  );
  const tunnels = metrics.gauge('gpuaas_app_proxy_tunnels', 'Tunnels of nodes that this copy has.', []);
  const exchanges = metrics.gauge('gpuaas_app_proxy_open', 'Requests and WebSockets that are open.', []);
  metrics.onScrape(async () => {
    tunnels.set(door.tunnels);
    exchanges.set(open.size);
  });
  return (outcome, seconds) => {
    requests.inc({ outcome, broke: outcome === 'carried' ? 'none' : troubles[outcome].culprit });
    durations.observe({ outcome: outcome === 'carried' ? 'carried' : 'failed' }, seconds);
  };
}

async function serve(desk: Desk, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { parts } = desk;
  const correlationId = parts.ids.next();
  const beganMs = nowMs(parts.clock);
  const wantsPage = (request.headers.accept ?? '').includes('text/html');
  const outcome = await handle(desk, request, response, correlationId, wantsPage);
  desk.count(outcome ?? 'carried', (nowMs(parts.clock) - beganMs) / secondMs);
  if (outcome === undefined) return;
  // A flood of strangers is counted, and does not fill the log.
  if (troubles[outcome].culprit !== 'caller' && outcome !== 'crowded') {
    parts.log.warn({ correlation_id: correlationId, outcome }, 'an application was not reached');
  }
  answerTrouble(response, outcome, { correlationId, wantsPage });
}

async function handle(
  desk: Desk,
  request: IncomingMessage,
  response: ServerResponse,
  correlationId: string,
  wantsPage: boolean,
): Promise<TroubleName | undefined> {
  const label = readLabel(request, desk.settings.address);
  if (label === undefined) return 'malformed';
  const path = request.url?.split('?', 1)[0] ?? '/';
  if (path === callbackPath && request.method === 'GET') {
    const isIn = await desk.signIn.finish(questionOf(desk, request, label), request, response).catch(() => undefined);
    if (typeof isIn === 'string') return isIn;
    return isIn === undefined ? 'unavailable' : isIn ? undefined : 'sign_in';
  }
  if (isOwn(path)) return 'refused';
  const question = questionOf(desk, request, label);
  const said = await desk.admissions.decide(question);
  if (typeof said !== 'object') return said ?? 'unavailable';
  if (said.decision === 'sign_in' && said.sign_in_url !== null && wantsPage && request.method === 'GET') {
    desk.signIn.begin(request, response, said.sign_in_url);
    return undefined;
  }
  if (said.decision !== 'admitted') return said.decision;
  if (isForeign(desk, request, label, said)) return 'foreign_page';
  return within(desk, question, said, { socket: request.socket, stream: response }, () =>
    carry(
      desk.door,
      { ...desk.settings.limits, clock: desk.parts.clock },
      exchangeOf(desk, request, question, said, correlationId),
      request,
      response,
    ),
  );
}

/** However it is written, below our own path nothing reaches an application. */
function isOwn(path: string): boolean {
  const own = ownPath.slice(0, -1);
  const folded = path.replaceAll(/%2e/gi, '.').replaceAll(/%2f/gi, '/').toLowerCase();
  return folded.split('/').some((part, at) => at === 1 && part === own.slice(1));
}

/** Keeps an exchange among those that are open, within the limits of its route and of its organization. */
async function within(
  desk: Desk,
  question: Question,
  admitted: Admitted,
  of: { readonly socket: Duplex; readonly stream: { destroy(): unknown } },
  run: () => Promise<TroubleName | undefined>,
): Promise<TroubleName | undefined> {
  const { perRoute, perOrganization } = desk.settings.limits;
  const { organization_id: organizationId } = admitted;
  if (desk.open.countOf(question.label) >= perRoute) return 'busy';
  if (desk.open.countOfOrganization(organizationId) >= perOrganization) return 'busy';
  if (!desk.seats.admit(of.socket, organizationId)) return 'busy';
  const leave = desk.open.add(question, admitted, () => of.stream.destroy());
  try {
    return await run();
  } finally {
    leave();
  }
}

async function serveUpgrade(desk: Desk, request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
  const correlationId = desk.parts.ids.next();
  const beganMs = nowMs(desk.parts.clock);
  const outcome = await handleUpgrade(desk, request, { socket, head }, correlationId);
  desk.count(outcome ?? 'carried', (nowMs(desk.parts.clock) - beganMs) / secondMs);
  if (outcome !== undefined && !socket.destroyed) refuseSocket(socket, outcome, correlationId);
}

async function handleUpgrade(
  desk: Desk,
  request: IncomingMessage,
  client: { readonly socket: Duplex; readonly head: Buffer },
  correlationId: string,
): Promise<TroubleName | undefined> {
  const label = readLabel(request, desk.settings.address);
  const isPlain =
    request.method === 'GET' &&
    request.headers.upgrade?.toLowerCase() === 'websocket' &&
    request.headers['content-length'] === undefined &&
    request.headers['transfer-encoding'] === undefined;
  if (label === undefined || !isPlain) return 'malformed';
  if (isOwn(request.url?.split('?', 1)[0] ?? '/')) return 'refused';
  const question = questionOf(desk, request, label);
  const said = await desk.admissions.decide(question);
  if (typeof said !== 'object') return said ?? 'unavailable';
  if (said.decision !== 'admitted') return said.decision;
  if (isForeign(desk, request, label, said)) return 'foreign_page';
  return within(desk, question, said, { socket: client.socket, stream: client.socket }, () =>
    carryUpgrade(
      desk.door,
      { ...desk.settings.limits, clock: desk.parts.clock },
      exchangeOf(desk, request, question, said, correlationId),
      request,
      client,
    ),
  );
}

function questionOf({ settings, cookies }: Desk, request: IncomingMessage, label: string): Question {
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

/** The last address that no proxy of ours has written. */
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
 * Cookies go along with requests that pages of other applications make: those live at the same site, though not at the same origin. So a
 * request that changes something, and every WebSocket, has to come from a page of this application. A link to it may be anywhere; a frame
 * with it may not, since a page could lay itself over that and take a person's clicks.
 */
function isForeign({ settings }: Desk, request: IncomingMessage, label: string, { route }: Admitted): boolean {
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
  { settings, cookies }: Desk,
  request: IncomingMessage,
  { label, address }: Question,
  admitted: Admitted,
  correlationId: string,
): Exchange => ({
  ...{ admitted, label, address, correlationId, cookies },
  host: request.headers.host ?? label,
  isSecure: settings.address.isSecure,
});
