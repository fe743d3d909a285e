import { Agent, request } from 'node:https';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { controlPlaneSpiffeId } from '@gpuaas/contract/node';
import type { Static, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { Outage } from '../../kernel/fault.ts';
import type { ProcessIdentity } from './process-identity.ts';

/** A question of one process to the api, over its internal listener. */
export interface InternalClient {
  ask<C extends TSchema, A extends TSchema>(
    route: { readonly path: string; readonly carries: C; readonly answers: A },
    body: Static<C>,
    options: { readonly withinMs: number; readonly signal?: AbortSignal },
  ): Promise<InternalAnswer<Static<A>>>;
  close(): void;
}
/** A refusal is an answer; an outage is thrown, and the question may be asked again. */
export type InternalAnswer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly status: number; readonly code: string; readonly message: string };

const maxAnswerBytes = 4 * 1_024 * 1_024;
const maxSockets = 64;

/** The peer must be the control plane. Its address may change; its name is in its certificate. */
export const checkControlPlane = (host: string, peer: PeerCertificate): Error | undefined => {
  const uris = (peer.subjectaltname ?? '').split(', ').filter((name) => name.startsWith('URI:'));
  if (uris.length === 1 && uris[0] === `URI:${controlPlaneSpiffeId}`) return checkServerIdentity(host, peer);
  return new Error('the peer does not show the certificate of the control plane');
};

export function makeInternalClient(parts: {
  readonly url: string;
  readonly identity: Pick<ProcessIdentity, 'current' | 'onRenewed'>;
}): InternalClient {
  const { identity } = parts;
  const openAgent = () =>
    new Agent({
      ...identity.current().tls,
      ...{ keepAlive: true, maxSockets, minVersion: 'TLSv1.3', checkServerIdentity: checkControlPlane },
    });
  let agent = openAgent();
  identity.onRenewed(() => {
    const before = agent;
    agent = openAgent();
    // Calls on their way keep their connections; idle ones show the old certificate no more.
    for (const sockets of Object.values(before.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
  });
  const checks = new Map<TSchema, ReturnType<typeof Compile>>();
  const checkOf = (schema: TSchema) => {
    const known = checks.get(schema) ?? Compile(schema);
    checks.set(schema, known);
    return known;
  };

  return {
    async ask(route, body, { withinMs, signal }) {
      const limit = AbortSignal.timeout(withinMs);
      const { status, text } = await post(agent, new URL(route.path, parts.url), JSON.stringify(body), [
        limit,
        ...(signal ? [signal] : []),
      ]);
      const said = parse(text);
      if (status === 200 && checkOf(route.answers).Check(said)) return { ok: true, value: said as never };
      const { code, message } = (said ?? {}) as { code?: unknown; message?: unknown };
      if (status < 400 || status >= 500 || typeof code !== 'string') {
        throw new Outage(`the api answered ${status} to ${route.path}`);
      }
      return { ok: false, status, code, message: String(message ?? '') };
    },
    close: () => agent.destroy(),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function post(
  agent: Agent,
  url: URL,
  body: string,
  signals: readonly AbortSignal[],
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown) => reject(new Outage('the api does not answer', { cause }));
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const signal = AbortSignal.any([...signals]);
    const asked = request(url, { method: 'POST', agent, headers, signal }, (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > maxAnswerBytes) response.destroy(new Error('the answer is too long'));
        else chunks.push(chunk);
      });
      response.on('error', fail);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
    });
    asked.on('error', fail);
    asked.end(body);
  });
}
