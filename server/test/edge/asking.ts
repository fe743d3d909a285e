import { request as plainRequest, type RequestOptions } from 'node:http';
import { connect as connectHttp2, type SecureClientSessionOptions } from 'node:http2';
import { request } from 'node:https';
import { connect as connectTcp } from 'node:net';
import { connect as connectTls, type PeerCertificate } from 'node:tls';

export interface Answer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: string;
}
/** One request to the edge, from an address and with a name of choice. */
export interface Question {
  readonly port: number;
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** The address of the edge; 127.0.0.1 when left out. */
  readonly to?: string;
  /** The address of the caller. */
  readonly from?: string;
  /** The name in the TLS handshake; that of the Host header when left out. */
  readonly name?: string;
  readonly plain?: true;
}

export function askEdge(question: Question): Promise<Answer> {
  const { port, path = '/', method = 'GET', headers = {}, body, to = '127.0.0.1', from, plain } = question;
  const host = headers['host'] ?? `localhost:${port}`;
  const options: RequestOptions = {
    ...{ host: to, port, path, method, agent: false, headers: { host, ...headers } },
    ...(from && { localAddress: from }),
  };
  return new Promise((resolve, reject) => {
    const servername = question.name ?? host.replace(/:\d+$/, '');
    const asked = plain ? plainRequest(options) : request({ ...options, servername });
    asked.once('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString(),
        }),
      );
    });
    asked.once('error', reject);
    asked.end(body);
  });
}

/** How a TLS handshake ends: the certificate that was shown, or the reason why there is none. */
export function shakeHands(
  port: number,
  name: string | undefined,
  { to = '127.0.0.1', from }: { readonly to?: string; readonly from?: string } = {},
): Promise<{ readonly certificate: PeerCertificate } | { readonly refused: string }> {
  return new Promise((resolve) => {
    const socket = connectTls({
      ...{ host: to, port, rejectUnauthorized: false },
      ...(name !== undefined && { servername: name }),
      ...(from && { localAddress: from }),
    });
    socket.once('secureConnect', () => {
      resolve({ certificate: socket.getPeerCertificate() });
      socket.destroy();
    });
    socket.once('error', (error: NodeJS.ErrnoException) => resolve({ refused: error.code ?? error.message }));
    socket.once('close', () => resolve({ refused: 'closed' }));
  });
}

/** What a port answers to bytes that are no TLS, or to a plain request; `refused` where nobody listens. */
export function sayPlainly(port: number, text: string, to = '127.0.0.1'): Promise<string> {
  return new Promise((resolve) => {
    let heard = '';
    const socket = connectTcp(port, to, () => socket.write(text));
    socket.on('data', (chunk: Buffer) => {
      heard += chunk.toString('latin1');
    });
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED' ? 'refused' : heard));
    socket.once('close', () => resolve(heard));
  });
}

/** As many connections, and requests at a time on each, as one caller may have. */
const floodOf = { connections: 4, requests: 700, atOnce: 32 } as const;

/** How often a page was answered, by who answered with what: a process, or the edge itself. */
export async function flood(url: string, path: string, from: string): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  const options = { localAddress: from, servername: new URL(url).hostname } as SecureClientSessionOptions;
  const one = async () => {
    const session = connectHttp2(url, options);
    const once = () =>
      new Promise<void>((resolve, reject) => {
        const stream = session.request({ ':path': path });
        stream.once('response', (headers) => {
          const key = `${headers['x-request-id'] === undefined ? 'edge' : 'process'} ${headers[':status']}`;
          counts.set(key, (counts.get(key) ?? 0) + 1);
        });
        stream.once('error', reject);
        stream.once('close', resolve);
        stream.resume();
        stream.end();
      });
    const lane = async () => {
      for (let time = 0; time < floodOf.requests / floodOf.atOnce; time += 1) await once();
    };
    try {
      await Promise.all(Array.from({ length: floodOf.atOnce }, lane));
    } finally {
      session.destroy();
    }
  };
  await Promise.all(Array.from({ length: floodOf.connections }, one));
  return counts;
}

/** A page by HTTP/2: its status, and what was agreed on. */
export async function askByHttp2(url: string, path: string): Promise<{ status: number; protocol: string | undefined }> {
  const session = connectHttp2(url);
  try {
    return await new Promise((resolve, reject) => {
      session.once('error', reject);
      const stream = session.request({ ':path': path });
      stream.once('response', (headers) => {
        resolve({ status: Number(headers[':status']), protocol: session.alpnProtocol });
      });
      stream.once('error', reject);
      stream.resume();
      stream.end();
    });
  } finally {
    session.destroy();
  }
}
