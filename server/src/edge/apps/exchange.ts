import {
  type ClientRequest,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../kernel/clock.ts';
import { later, nowMs } from '../terminal/later.ts';
import type { Admitted } from './admission-cache.ts';
import type { ProxyErrorCode } from './error-page.ts';
import { areWritable, type CookieNames, requestHeaders, responseHeaders } from './headers.ts';
import { makeAnswerMeter } from './meter.ts';
import type { NoConnection, TunnelListener } from './tunnel-listener.ts';
import type { Tally } from './use-counts.ts';

/** One request to an application and its response. Bytes are streamed: a slow side slows the other, nothing is buffered. */
export interface Exchange {
  readonly admitted: Admitted;
  readonly label: string;
  readonly host: string;
  readonly isSecure: boolean;
  readonly address: string;
  readonly correlationId: string;
  readonly cookies: CookieNames;
  readonly tally: Tally;
}
export interface ExchangeLimits {
  /** From the request to the first byte of the response. */
  readonly answerMs: number;
  /** Without a byte in either direction. */
  readonly idleMs: number;
  readonly socketIdleMs: number;
}
type ExchangeTimes = ExchangeLimits & { readonly clock: Clock };

/** A response with this status or above is a failure of the application. */
const serverFault = 500;
/** How often an idle WebSocket is checked within its idle limit. */
const checksPerIdle = 4;

/** The refusals of a tunnel as error codes of the page. */
const errorCodeOf: Readonly<Record<NoConnection, ProxyErrorCode>> = {
  ...{ no_tunnel: 'no_tunnel', tunnel_lost: 'tunnel_lost', too_slow: 'too_slow', malformed: 'tunnel_lost' },
  ...{ unknown_workload: 'unknown_workload', not_running: 'not_running', port_closed: 'port_closed', busy: 'busy' },
};

async function connectTo(
  tunnels: Pick<TunnelListener, 'connect'>,
  { admitted }: Exchange,
): Promise<Duplex | ProxyErrorCode> {
  const { node_id: nodeId, allocation_id: allocationId, workload_id: workloadId, port } = admitted;
  const found = await tunnels.connect({ nodeId, allocationId, workloadId, port });
  return typeof found === 'string' ? errorCodeOf[found] : found;
}

const upstreamHeaders = (request: IncomingMessage, exchange: Exchange): string[] =>
  requestHeaders(request, {
    ...exchange,
    keepsCookies: exchange.admitted.route.family === 'browser',
    // A number inside of a compressed response could not be read.
    isPlain: exchange.admitted.meters.some(({ field }) => field !== null),
  });

/** The status of a final response; undefined for 1xx and for numbers that are no status. */
function statusOf({ statusCode = 0 }: IncomingMessage): number | undefined {
  return statusCode >= 200 && statusCode <= 599 ? statusCode : undefined;
}

/** Pages of other applications may not frame this one. Browsers enforce this header beside the one of the application. */
const ownFramesOnly = ['Content-Security-Policy', "frame-ancestors 'self'"] as const;

function callerHeaders(
  upstreamResponse: IncomingMessage,
  { cookies, correlationId, admitted }: Exchange,
): string[] | undefined {
  const headers = responseHeaders(upstreamResponse, cookies, correlationId);
  if (admitted.route.family === 'browser') headers.push(...ownFramesOnly);
  return areWritable(headers) ? headers : undefined;
}

/** Handles an event of the upstream request. An exception in the handler ends this exchange only: uncaught it would end the process. */
function onSafely<A extends unknown[]>(
  upstreamRequest: ClientRequest,
  event: 'response' | 'upgrade',
  end: (code: ProxyErrorCode) => void,
  handle: (...args: A) => void,
): void {
  upstreamRequest.on(event, (...args: unknown[]) => {
    try {
      handle(...(args as A));
    } catch {
      end('ended_early');
    }
  });
}

/** Carries one request. Resolves when it has ended, with an error code when the application was not reached or did not respond. */
export async function carry(
  tunnels: Pick<TunnelListener, 'connect'>,
  limits: ExchangeTimes,
  exchange: Exchange,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<ProxyErrorCode | undefined> {
  const upstream = await connectTo(tunnels, exchange);
  if (typeof upstream === 'string') return upstream;
  if (response.destroyed) return void upstream.destroy();
  const headers = upstreamHeaders(request, exchange);
  const length = request.headers['content-length'];
  // The parser has refused conflicting lengths; the length that it read is sent on as one header.
  if (length !== undefined) headers.push('Content-Length', length);
  else if (request.headers['transfer-encoding'] !== undefined) headers.push('Transfer-Encoding', 'chunked');
  headers.push('Connection', 'close');
  return new Promise((resolve) => {
    const upstreamRequest = httpRequest({
      ...{ method: request.method, path: request.url, headers, setDefaultHeaders: false },
      createConnection: () => upstream as never,
    });
    const end = (code?: ProxyErrorCode) => {
      resolve(code);
      upstreamRequest.destroy();
      upstream.destroy();
    };
    const cancelTimer = later(limits.clock, limits.answerMs, () => end('app_too_slow'));
    let hasResponse = false;
    // After the response has begun, its end ends the exchange: bytes that the caller has not read yet are not lost.
    const fail = () => {
      cancelTimer();
      if (!hasResponse) end('ended_early');
    };
    upstream.on('error', fail);
    upstreamRequest.on('error', fail);
    upstreamRequest.on('close', fail);
    onSafely<[IncomingMessage]>(upstreamRequest, 'response', end, (upstreamResponse) => {
      cancelTimer();
      hasResponse = relay(upstreamResponse, response, exchange, limits.idleMs, () => end());
      if (!hasResponse) end('ended_early');
    });
    // An application must not switch protocols when the caller did not ask for it.
    upstreamRequest.on('upgrade', (_response, socket) => {
      socket.destroy();
      end('ended_early');
    });
    response.once('close', () => end());
    request.on('error', () => end());
    request.on('data', (chunk: Buffer) => {
      exchange.tally.bytesIn += chunk.length;
    });
    request.pipe(upstreamRequest);
  });
}

/** False when the application sent no valid response. */
function relay(
  upstreamResponse: IncomingMessage,
  response: ServerResponse,
  exchange: Exchange,
  idleMs: number,
  end: () => void,
): boolean {
  const [status, headers] = [statusOf(upstreamResponse), callerHeaders(upstreamResponse, exchange)];
  if (status === undefined || !headers) return false;
  // The reason phrase is ours: the one of an application may hold any bytes.
  response.writeHead(status, STATUS_CODES[status] ?? '', headers);
  const fail = () => {
    // A truncated body must not look complete.
    if (!upstreamResponse.complete) response.destroy();
    end();
  };
  upstreamResponse.setTimeout(idleMs, fail);
  upstreamResponse.on('error', fail);
  upstreamResponse.on('aborted', fail);
  upstreamResponse.once('close', () => !upstreamResponse.complete && fail());
  const { tally, admitted } = exchange;
  const meter = makeAnswerMeter(upstreamResponse, admitted.meters);
  if (status >= serverFault) tally.failures += 1;
  upstreamResponse.on('data', (chunk: Buffer) => {
    tally.bytesOut += chunk.length;
    meter.take(chunk);
  });
  upstreamResponse.once('end', () => {
    tally.units = meter.end();
  });
  response.once('finish', end);
  upstreamResponse.pipe(response);
  return true;
}

/** Carries an upgrade: the application accepts it, then bytes go both ways until one side ends. */
export async function carryUpgrade(
  tunnels: Pick<TunnelListener, 'connect'>,
  limits: ExchangeTimes,
  exchange: Exchange,
  request: IncomingMessage,
  client: { readonly socket: Duplex; readonly head: Buffer },
): Promise<ProxyErrorCode | undefined> {
  const { socket, head } = client;
  const upstream = await connectTo(tunnels, exchange);
  if (typeof upstream === 'string') return upstream;
  if (socket.destroyed) return void upstream.destroy();
  const headers = upstreamHeaders(request, exchange);
  headers.push('Connection', 'Upgrade', 'Upgrade', 'websocket');
  return new Promise((resolve) => {
    const upstreamRequest = httpRequest({
      ...{ method: 'GET', path: request.url, headers, setDefaultHeaders: false },
      createConnection: () => upstream as never,
    });
    const end = (code?: ProxyErrorCode) => {
      cancelTimer();
      resolve(code);
      upstreamRequest.destroy();
      upstream.destroy();
    };
    const cancelTimer = later(limits.clock, limits.answerMs, () => end('app_too_slow'));
    upstream.on('error', () => end('ended_early'));
    upstreamRequest.on('error', () => end('ended_early'));
    // The application refused the upgrade: the caller gets its status without the body.
    onSafely<[IncomingMessage]>(upstreamRequest, 'response', end, (upstreamResponse) => {
      const status = statusOf(upstreamResponse);
      if (status === undefined) return end('ended_early');
      socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
      end();
    });
    onSafely<[IncomingMessage, Duplex, Buffer]>(
      upstreamRequest,
      'upgrade',
      end,
      (upstreamResponse, upstreamSocket, first) => {
        const handshake = handshakeOf(upstreamResponse, exchange);
        if (handshake === undefined) return end('ended_early');
        cancelTimer();
        socket.write(handshake, 'latin1');
        if (first.length > 0) socket.write(first);
        if (head.length > 0) upstreamSocket.write(head);
        joinSockets(socket, upstreamSocket, limits, exchange.tally, () => end());
      },
    );
    socket.once('close', () => end());
    upstreamRequest.end();
  });
}

function handshakeOf(upstreamResponse: IncomingMessage, exchange: Exchange): string | undefined {
  const headers = callerHeaders(upstreamResponse, exchange);
  if (!headers || upstreamResponse.headers.upgrade?.toLowerCase() !== 'websocket') return undefined;
  const lines: string[] = [];
  for (let at = 0; at + 1 < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}\r\n`);
  return `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${lines.join('')}\r\n`;
}

function joinSockets(
  client: Duplex,
  upstream: Duplex,
  { clock, socketIdleMs }: Pick<ExchangeTimes, 'clock' | 'socketIdleMs'>,
  tally: Tally,
  end: () => void,
): void {
  let lastBytesMs = nowMs(clock);
  const checkIdle = (): void => {
    if (nowMs(clock) - lastBytesMs > socketIdleMs) endBoth();
    else cancelTimer = later(clock, socketIdleMs / checksPerIdle, checkIdle);
  };
  let cancelTimer = later(clock, socketIdleMs / checksPerIdle, checkIdle);
  const endBoth = () => {
    cancelTimer();
    client.destroy();
    upstream.destroy();
    end();
  };
  for (const one of [client, upstream]) {
    one.on('data', () => {
      lastBytesMs = nowMs(clock);
    });
    one.on('error', endBoth);
    one.once('close', endBoth);
  }
  client.on('data', (chunk: Buffer) => {
    tally.bytesIn += chunk.length;
  });
  upstream.on('data', (chunk: Buffer) => {
    tally.bytesOut += chunk.length;
  });
  client.pipe(upstream).pipe(client);
}
