import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { pipeline } from 'node:stream/promises';
import { createSecureContext, type PeerCertificate } from 'node:tls';
import { lineProtocol, nodeTransport } from '@gpuaas/contract/node';
import { holdLine, type Line } from './line.ts';
import { checkPeer } from './trust.ts';

/**
 * The one way out of a node: TLS 1.3 to the control plane, the peer's name checked, connections kept. Who has an identity
 * says everything on one line (`line.ts`); a control plane that has none is spoken to over HTTPS, call by call. Trouble
 * of the network is thrown; whatever the control plane says, kind or not, is an answer.
 */
export interface Client {
  call(order: Call): Promise<Answer>;
  /** Streams a file to disk and answers its SHA-256 in hex. More than `limitBytes` is trouble. */
  download(order: { readonly path: string; readonly to: string; readonly limitBytes: number }): Promise<string>;
  /** Ends when the calls that are on their way have their answers: a new certificate interrupts nobody. */
  retire(): void;
  close(): void;
}
export interface Call {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly limitMs: number;
  readonly signal?: AbortSignal;
}
export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly retryAfterMs: number | undefined;
}

export interface ClientIdentity {
  readonly certificate: string;
  readonly key: string;
}

const mostSockets = 6;
const longestAnswerBytes = 1024 * 1024;
const downloadLimitMs = 10 * 60_000;
/** When everybody comes back at once, greetings wait for each other. */
const openingLimitMs = 30_000;
const notFound = 404;

export function makeClient(parts: {
  readonly url: URL;
  /** The HTTPS trust, in PEM. */
  readonly trust: string;
  readonly peerId: string | undefined;
  /** None while enrolling: the token speaks then. */
  readonly identity?: ClientIdentity;
  /** Judges the peer in place of its name. */
  readonly judge?: (host: string, peer: PeerCertificate) => Error | undefined;
  /** False for a peer that answers call by call. */
  readonly hasLine?: false;
}): Client {
  const { url } = parts;
  // One context for all connections of this identity: parsing the PEM again for each would cost more than the call.
  const secureContext = createSecureContext({
    ca: parts.trust,
    minVersion: 'TLSv1.3',
    allowPartialTrustChain: true,
    ...(parts.identity && { cert: parts.identity.certificate, key: parts.identity.key }),
  });
  const agent = new Agent({
    keepAlive: true,
    maxSockets: mostSockets,
    maxFreeSockets: 2,
    maxCachedSessions: 0,
    secureContext,
    rejectUnauthorized: true,
    checkServerIdentity: parts.judge ?? ((host: string, peer: PeerCertificate) => checkPeer(host, peer, parts.peerId)),
  });
  let underway = 0;
  let isRetired = false;
  let line: Promise<Line | undefined> | undefined;
  /** The control plane is older than lines; after trouble it may be another one, and know more. */
  let knowsNoLines = false;
  const hangUp = () => {
    agent.destroy();
    line?.then((open) => open?.close()).catch(() => undefined);
  };
  const openLine = (): Promise<Line | undefined> =>
    new Promise((resolve, reject) => {
      const headers = { connection: 'Upgrade', upgrade: lineProtocol };
      const { method, path } = nodeTransport.line;
      const limit = AbortSignal.timeout(openingLimitMs);
      const asked = request({ ...destination(url), method, path, agent, headers, signal: limit });
      asked.once('upgrade', (_, socket) => {
        resolve(holdLine(socket, () => (line = undefined)));
      });
      asked.once('response', (response) => {
        response.resume();
        // Any other refusal is about this moment, and the call itself will hear it as well.
        knowsNoLines = response.statusCode === notFound;
        line = undefined;
        resolve(undefined);
      });
      asked.once('error', (error) => {
        line = undefined;
        reject(error);
      });
      asked.end();
    });
  const currentLine = async (signal: AbortSignal): Promise<Line | undefined> => {
    if (!parts.identity || knowsNoLines || parts.hasLine === false) return undefined;
    line ??= openLine();
    return orAborted(line, signal);
  };
  const overHttp = (order: Call, signal: AbortSignal): Promise<Answer> =>
    callOverHttp({ url, agent, order, signal }).catch((error: unknown) => {
      knowsNoLines = false;
      throw error;
    });
  const counted = async <T>(work: () => Promise<T>): Promise<T> => {
    underway += 1;
    try {
      return await work();
    } finally {
      underway -= 1;
      if (isRetired && underway === 0) hangUp();
    }
  };
  const within = <T>(...given: Parameters<typeof limited<T>>) => counted(() => limited(...given));
  return {
    call: (order) =>
      within(order.limitMs, order.signal, async (signal) => {
        const open = await currentLine(signal);
        return open ? open.call(order, signal) : overHttp(order, signal);
      }),
    download: (order) => within(downloadLimitMs, undefined, (signal) => downloadFile({ url, agent, order, signal })),
    retire() {
      isRetired = true;
      if (underway === 0) hangUp();
    },
    close: hangUp,
  };
}

async function callOverHttp(parts: {
  readonly url: URL;
  readonly agent: Agent;
  readonly order: Call;
  readonly signal: AbortSignal;
}): Promise<Answer> {
  const { body } = parts.order;
  const response = await send({ ...parts, text: body === undefined ? undefined : JSON.stringify(body) });
  const raw = await readAll(response, longestAnswerBytes);
  return {
    status: response.statusCode ?? 0,
    body: raw === '' ? undefined : parseOr(raw),
    retryAfterMs: secondsToMs(response.headers['retry-after']),
  };
}

/** Writes what is downloaded to a file and answers its SHA-256. */
async function downloadFile(parts: {
  readonly url: URL;
  readonly agent: Agent;
  readonly order: Parameters<Client['download']>[0];
  readonly signal: AbortSignal;
}): Promise<string> {
  const { url, agent, order, signal } = parts;
  const get = { method: 'GET', path: order.path, limitMs: downloadLimitMs } as const;
  const response = await send({ url, agent, order: get, text: undefined, signal });
  if (response.statusCode !== 200) {
    response.resume();
    throw new Error(`the control plane answered ${response.statusCode} to a download`);
  }
  const hash = createHash('sha256');
  await pipeline(
    response,
    async function* measured(chunks: AsyncIterable<Buffer>) {
      let bytes = 0;
      for await (const chunk of chunks) {
        bytes += chunk.length;
        if (bytes > order.limitBytes) throw new Error(`the download is longer than ${order.limitBytes} bytes`);
        hash.update(chunk);
        yield chunk;
      }
    },
    createWriteStream(order.to, { mode: 0o600, flush: true }),
  );
  return hash.digest('hex');
}

function send(parts: {
  readonly url: URL;
  readonly agent: Agent;
  readonly order: Call;
  readonly text: string | undefined;
  readonly signal: AbortSignal;
}): Promise<IncomingMessage> {
  const { url, agent, order, text, signal } = parts;
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        ...destination(url),
        method: order.method,
        path: order.path,
        agent,
        signal,
        headers: {
          accept: 'application/json',
          ...order.headers,
          ...(text !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
        },
      },
      resolve,
    );
    asked.once('error', reject);
    asked.end(text);
  });
}

const destination = (url: URL) => ({ host: url.hostname, port: url.port || 443 });

/** What was asked for by several is not given up because one of them does. */
const orAborted = <T>(asked: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    asked.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });

/** A limit in real time: it is about a network, which knows no other. */
async function limited<T>(
  limitMs: number,
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  outer?.throwIfAborted();
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new Error(`no answer within ${limitMs} ms`)), limitMs);
  const stop = () => controller.abort(outer?.reason);
  outer?.addEventListener('abort', stop, { once: true });
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener('abort', stop);
  }
}

async function readAll(response: IncomingMessage, limitBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > limitBytes) throw new Error(`the answer is longer than ${limitBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Something in the way may answer in HTML; that is an answer with no body we understand. */
function parseOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function secondsToMs(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,6}$/.test(header) ? Number(header) * 1_000 : undefined;
}
