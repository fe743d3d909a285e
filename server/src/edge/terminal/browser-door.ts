import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { terminalPaths, terminalProtocols, terminalTokenPattern } from '@gpuaas/contract/terminal';
import { WebSocketServer } from 'ws';
import { callerAddress } from '../gate/caller-address.ts';
import type { IsTrustedProxy } from '../gate/proxies.ts';
import { makeNodeBudget } from '../nodes/budget.ts';
import { after } from './after.ts';
import { makeBrowserSeats } from './browser-seats.ts';
import { type Client, type ClientParts, serveClient } from './client.ts';
import { offeredProtocols, refuseUpgrade, splitUrl } from './doors.ts';
import { makePath } from './frames.ts';

export interface BrowserDoor {
  readonly port: number;
  readonly clients: ReadonlySet<Client>;
  /** Connections that have no session yet, and all of them. */
  readonly strangers: number;
  readonly connections: number;
  stopAccepting(): void;
  close(): Promise<void>;
}
export interface BrowserDoorParts extends ClientParts {
  readonly host: string;
  readonly port: number;
  /** Pages of other origins get nothing. A program that is no browser sends no origin. */
  readonly origins: readonly string[];
  readonly isTrustedProxy: IsTrustedProxy;
  readonly limits: BrowserLimits;
  readonly isReady: () => boolean;
}
export interface BrowserLimits {
  /** Attempts that one address may make in a minute, before the api hears of them. */
  readonly attemptsPerMinute: number;
  /** Connections of one address that have no session yet, and of all addresses. */
  readonly strangersPerAddress: number;
  readonly strangers: number;
  readonly connections: number;
}

const clientPath = makePath(terminalPaths.client);
const token = new RegExp(terminalTokenPattern);
const headersMs = 10_000;

/**
 * Where browsers and the command line come. What costs nothing is checked before the upgrade: path, origin, the form of the
 * token and the budget of the address. The token is read from the subprotocol alone, is never answered back and never logged.
 */
export async function openBrowserDoor(parts: BrowserDoorParts): Promise<BrowserDoor> {
  const { metrics, limits } = parts;
  const clients = new Set<Client>();
  const sockets = new Set<Socket>();
  const seats = makeBrowserSeats({
    ...{ perAddress: limits.strangersPerAddress, inTotal: limits.strangers, isTrustedProxy: parts.isTrustedProxy },
  });
  const upgrades = new WebSocketServer({
    ...{ noServer: true, clientTracking: false, perMessageDeflate: false, autoPong: false },
    // What is a little too large is answered with a code of ours; the rest is not read at all.
    maxPayload: parts.messageBytes * 2,
    handleProtocols: () => terminalProtocols.client,
  });
  const judge = makeJudge(parts);
  let accepts = true;

  const server = createServer(
    {
      headersTimeout: headersMs,
      requestTimeout: headersMs,
      connectionsCheckingInterval: 2_000,
      maxHeaderSize: 8 * 1_024,
    },
    answer,
  );
  server.maxConnections = limits.connections;
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    if (seats.take(socket)) return;
    metrics.countRefusal('connections');
    socket.destroy();
  });
  server.on('clientError', (_, socket) => socket.destroy());
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    const admitted = accepts ? judge(request) : 503;
    if (typeof admitted === 'number') return refuseUpgrade(socket, admitted);
    if (!seats.name(socket, admitted.address)) {
      metrics.countRefusal('connections');
      return refuseUpgrade(socket, 429);
    }
    upgrades.handleUpgrade(request, socket, head, (opened) => {
      const client = serveClient(opened, admitted, parts);
      clients.add(client);
      after(
        client.done.finally(() => clients.delete(client)),
        parts.log,
        () => undefined,
      );
      // It is a stranger until the api knows it.
      after(client.attached, parts.log, (isKnown) => isKnown && seats.leave(socket));
    });
  });
  /** Load balancers ask here; there is nothing else. */
  function answer(request: IncomingMessage, response: ServerResponse): void {
    const { path } = splitUrl(request);
    const isReady = path === '/readyz' ? accepts && parts.isReady() : path === '/healthz';
    const isPath = clientPath.read(path) !== undefined;
    const status = isReady ? 200 : path === '/readyz' ? 503 : isPath ? 426 : 404;
    response.writeHead(status, { connection: 'close', 'content-length': 0 }).end();
  }
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(parts.port, parts.host, () => resolve());
  });
  return {
    port: (server.address() as AddressInfo).port,
    clients,
    get strangers() {
      return seats.size;
    },
    get connections() {
      return sockets.size;
    },
    stopAccepting() {
      accepts = false;
      server.close();
      server.closeIdleConnections();
    },
    async close() {
      accepts = false;
      server.close();
      for (const socket of sockets) socket.destroy();
      await Promise.allSettled([...clients].map(({ done }) => done));
    },
  };
}

/** Who may come in, and as whom; a status when nobody. */
function makeJudge(parts: BrowserDoorParts) {
  const { metrics, limits } = parts;
  const budget = makeNodeBudget({ clock: parts.clock, callsPerMinute: limits.attemptsPerMinute });
  return (request: IncomingMessage) => {
    const refuse = (reason: Parameters<typeof metrics.countRefusal>[0], status: 400 | 401 | 403 | 404 | 429) => {
      metrics.countRefusal(reason);
      return status;
    };
    const { path, query } = splitUrl(request);
    const allocationId = clientPath.read(path);
    if (!allocationId) return refuse('malformed', 404);
    // An address with a token ends up in logs and histories, so a query is refused whatever it says.
    if (query !== '') return refuse('token_in_query', 400);
    const { origin } = request.headers;
    if (origin !== undefined && !parts.origins.includes(origin)) return refuse('origin', 403);
    const [name, shown, ...more] = offeredProtocols(request);
    if (name !== terminalProtocols.client || more.length > 0) return refuse('malformed', 400);
    if (!shown || !token.test(shown)) return refuse('malformed', 401);
    const address = addressOf(request, parts.isTrustedProxy);
    if (budget.take(callerAddress(address)) !== undefined) return refuse('address_budget', 429);
    return { token: shown, allocationId, address };
  };
}

/** The address of the connection, or the one that a proxy of ours names. */
function addressOf({ socket, headers }: IncomingMessage, isTrusted: IsTrustedProxy): string {
  let address = socket.remoteAddress ?? 'unknown';
  const forwarded = String(headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((one) => one.trim());
  while (isTrusted(address)) {
    const before = forwarded.pop();
    if (!before) break;
    address = before;
  }
  return address.slice(0, 64);
}
