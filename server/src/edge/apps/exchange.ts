import {
  request as askApp,
  type ClientRequest,
  type IncomingMessage,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../kernel/clock.ts';
import { later, nowMs } from '../terminal/later.ts';
import type { Admitted } from './admissions.ts';
import { areWritable, type CookieNames, towardsApp, towardsCaller } from './headers.ts';
import type { NoConnection, NodeDoor } from './node-door.ts';
import type { TroubleName } from './trouble-page.ts';

/** One request on its way to an application, and its answer back. Bytes are never kept: each side waits for the other. */
export interface Exchange {
  readonly admitted: Admitted;
  readonly label: string;
  readonly host: string;
  readonly isSecure: boolean;
  readonly address: string;
  readonly correlationId: string;
  readonly cookies: CookieNames;
}
export interface ExchangeLimits {
  /** From the request to the first byte of the answer. */
  readonly answerMs: number;
  /** Nothing moved in either direction. */
  readonly idleMs: number;
  readonly socketIdleMs: number;
}
type Timed = ExchangeLimits & { readonly clock: Clock };

/** How often an idle WebSocket is looked at within its time. */
const looksPerIdle = 4;

/** The words of the node, in those of the page. */
const troubleOf: Readonly<Record<NoConnection, TroubleName>> = {
  ...{ no_tunnel: 'no_tunnel', tunnel_lost: 'tunnel_lost', too_slow: 'too_slow', malformed: 'tunnel_lost' },
  ...{ unknown_workload: 'unknown_workload', not_running: 'not_running', port_closed: 'port_closed', busy: 'busy' },
};

async function connectTo(door: Pick<NodeDoor, 'connect'>, { admitted }: Exchange): Promise<Duplex | TroubleName> {
  const { node_id: nodeId, allocation_id: allocationId, workload_id: workloadId, port } = admitted;
  const found = await door.connect({ nodeId, allocationId, workloadId, port });
  return typeof found === 'string' ? troubleOf[found] : found;
}

const headersFor = (request: IncomingMessage, exchange: Exchange): string[] =>
  towardsApp(request, { ...exchange, keepsCookies: exchange.admitted.route.family === 'browser' });

/** The status of an answer, where it is one: below are words of the connection, above is nothing. */
function statusOf({ statusCode = 0 }: IncomingMessage): number | undefined {
  return statusCode >= 200 && statusCode <= 599 ? statusCode : undefined;
}

/** Pages of other applications may not show this one in a frame, whatever it says itself: browsers obey both. */
const ownFramesOnly = ['Content-Security-Policy', "frame-ancestors 'self'"] as const;

function headersBack(answer: IncomingMessage, { cookies, correlationId, admitted }: Exchange): string[] | undefined {
  const headers = towardsCaller(answer, cookies, correlationId);
  if (admitted.route.family === 'browser') headers.push(...ownFramesOnly);
  return areWritable(headers) ? headers : undefined;
}

/** Listens to the answer of an application. Nothing that it sends is thrown out of here: that would end the proxy for all. */
function listen<A extends unknown[]>(
  asked: ClientRequest,
  event: 'response' | 'upgrade',
  end: (trouble: TroubleName) => void,
  hear: (...heard: A) => void,
): void {
  asked.on(event, (...heard: unknown[]) => {
    try {
      hear(...(heard as A));
    } catch {
      end('broke_off');
    }
  });
}

/** Carries one request. Resolves when it is over; a name when the application was not reached or gave no answer. */
export async function carry(
  door: Pick<NodeDoor, 'connect'>,
  limits: Timed,
  exchange: Exchange,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<TroubleName | undefined> {
  const inside = await connectTo(door, exchange);
  if (typeof inside === 'string') return inside;
  if (response.destroyed) return void inside.destroy();
  const headers = headersFor(request, exchange);
  const length = request.headers['content-length'];
  // The parser has refused a body of two lengths; the one that it read is said again, in one way.
  if (length !== undefined) headers.push('Content-Length', length);
  else if (request.headers['transfer-encoding'] !== undefined) headers.push('Transfer-Encoding', 'chunked');
  headers.push('Connection', 'close');
  return new Promise((resolve) => {
    const asked = askApp({
      ...{ method: request.method, path: request.url, headers, setDefaultHeaders: false },
      createConnection: () => inside as never,
    });
    const end = (trouble?: TroubleName) => {
      resolve(trouble);
      asked.destroy();
      inside.destroy();
    };
    const callOff = later(limits.clock, limits.answerMs, () => end('app_too_slow'));
    let isAnswered = false;
    // Once there is an answer, its end is that of the exchange: what the caller has not read yet is not cut off.
    const breakOff = () => {
      callOff();
      if (!isAnswered) end('broke_off');
    };
    inside.on('error', breakOff);
    asked.on('error', breakOff);
    asked.on('close', breakOff);
    listen<[IncomingMessage]>(asked, 'response', end, (answer) => {
      callOff();
      isAnswered = relay(answer, response, exchange, limits.idleMs, () => end());
      if (!isAnswered) end('broke_off');
    });
    // An application that switches protocols without being asked is not listened to.
    asked.on('upgrade', (_answer, socket) => {
      socket.destroy();
      end('broke_off');
    });
    response.once('close', () => end());
    request.on('error', () => end());
    request.pipe(asked);
  });
}

/** False when what the application says is no answer. */
function relay(
  answer: IncomingMessage,
  response: ServerResponse,
  exchange: Exchange,
  idleMs: number,
  end: () => void,
): boolean {
  const [status, headers] = [statusOf(answer), headersBack(answer, exchange)];
  if (status === undefined || !headers) return false;
  // The words beside the status are ours: those of an application may be anything.
  response.writeHead(status, STATUS_CODES[status] ?? '', headers);
  const breakOff = () => {
    // A body that was cut short must not look whole.
    if (!answer.complete) response.destroy();
    end();
  };
  answer.setTimeout(idleMs, breakOff);
  answer.on('error', breakOff);
  answer.on('aborted', breakOff);
  answer.once('close', () => !answer.complete && breakOff());
  response.once('finish', end);
  answer.pipe(response);
  return true;
}

/** Carries an upgrade: the application has to agree, then bytes go both ways until one side ends. */
export async function carryUpgrade(
  door: Pick<NodeDoor, 'connect'>,
  limits: Timed,
  exchange: Exchange,
  request: IncomingMessage,
  client: { readonly socket: Duplex; readonly head: Buffer },
): Promise<TroubleName | undefined> {
  const { socket, head } = client;
  const inside = await connectTo(door, exchange);
  if (typeof inside === 'string') return inside;
  if (socket.destroyed) return void inside.destroy();
  const headers = headersFor(request, exchange);
  headers.push('Connection', 'Upgrade', 'Upgrade', 'websocket');
  return new Promise((resolve) => {
    const asked = askApp({
      ...{ method: 'GET', path: request.url, headers, setDefaultHeaders: false },
      createConnection: () => inside as never,
    });
    const end = (trouble?: TroubleName) => {
      callOff();
      resolve(trouble);
      asked.destroy();
      inside.destroy();
    };
    const callOff = later(limits.clock, limits.answerMs, () => end('app_too_slow'));
    inside.on('error', () => end('broke_off'));
    asked.on('error', () => end('broke_off'));
    // It said no: the caller gets that answer without its body.
    listen<[IncomingMessage]>(asked, 'response', end, (answer) => {
      const status = statusOf(answer);
      if (status === undefined) return end('broke_off');
      socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
      end();
    });
    listen<[IncomingMessage, Duplex, Buffer]>(asked, 'upgrade', end, (answer, opened, first) => {
      const agreed = switching(answer, exchange);
      if (agreed === undefined) return end('broke_off');
      callOff();
      socket.write(agreed, 'latin1');
      if (first.length > 0) socket.write(first);
      if (head.length > 0) opened.write(head);
      joinSockets(socket, opened, limits, () => end());
    });
    socket.once('close', () => end());
    asked.end();
  });
}

function switching(answer: IncomingMessage, exchange: Exchange): string | undefined {
  const headers = headersBack(answer, exchange);
  if (!headers || answer.headers.upgrade?.toLowerCase() !== 'websocket') return undefined;
  const lines: string[] = [];
  for (let at = 0; at + 1 < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}\r\n`);
  return `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${lines.join('')}\r\n`;
}

function joinSockets(
  outside: Duplex,
  inside: Duplex,
  { clock, socketIdleMs }: Pick<Timed, 'clock' | 'socketIdleMs'>,
  end: () => void,
): void {
  let movedMs = nowMs(clock);
  const look = (): void => {
    if (nowMs(clock) - movedMs > socketIdleMs) both();
    else callOff = later(clock, socketIdleMs / looksPerIdle, look);
  };
  let callOff = later(clock, socketIdleMs / looksPerIdle, look);
  const both = () => {
    callOff();
    outside.destroy();
    inside.destroy();
    end();
  };
  for (const one of [outside, inside]) {
    one.on('data', () => {
      movedMs = nowMs(clock);
    });
    one.on('error', both);
    one.once('close', both);
  }
  outside.pipe(inside).pipe(outside);
}
