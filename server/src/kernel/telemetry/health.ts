import { createServer, type Server } from 'node:http';
import { makeFresh } from '../access/fresh.ts';
import type { Clock } from '../clock.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import { redactText } from './redact.ts';

const checkWithinMs = 5_000;
const sharedMs = 1_000;

export interface Readiness {
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, 'ok' | string>>;
}

/** Does every check at once. A check that hangs is a check that failed. */
export async function readiness(
  checks: readonly { readonly name: string; check(): Promise<void> }[],
  stopping: AbortSignal,
): Promise<Readiness> {
  const results = await Promise.all(
    checks.map(async ({ name, check }) => {
      const timeout = AbortSignal.timeout(checkWithinMs);
      const late = new Promise<never>((_, reject) =>
        timeout.addEventListener('abort', () => reject(new Error('no answer in time')), { once: true }),
      );
      try {
        await Promise.race([check(), late]);
        return [name, 'ok'] as const;
      } catch (error) {
        return [name, error instanceof Error ? redactText(error.message) : 'failed'] as const;
      }
    }),
  );
  const ready = !stopping.aborted && results.every(([, outcome]) => outcome === 'ok');
  return { ready, checks: Object.fromEntries(results) };
}

/**
 * One result for all requests within a second, so that probing is cheap. A result that is not worth keeping is shared by
 * those who wait for it, and by nobody after them.
 */
export function makeShared<T>(parts: {
  readonly clock: Clock;
  readonly ask: () => Promise<T>;
  readonly isKept?: (value: T) => boolean;
}): () => Promise<T> {
  const { ask, isKept = () => true } = parts;
  const known = makeFresh<'answer', T>({ clock: parts.clock, ttlMs: sharedMs, max: 1 });
  const look = async () => {
    const value = await ask();
    if (!isKept(value)) known.forget('answer');
    return value;
  };
  return () => known.get('answer', look);
}

/** `/healthz`: the process runs. `/readyz`: it can do its work, shown by doing some. `/metrics`: its numbers. */
export async function serveHealth(parts: {
  readonly host: string;
  readonly port: number;
  readonly checks: readonly { readonly name: string; check(): Promise<void> }[];
  readonly stopping: AbortSignal;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly log: Log;
}): Promise<{ readonly url: string; close(): Promise<void> }> {
  const ask = () => readiness(parts.checks, parts.stopping);
  // A process that has just become ready says so at once.
  const shared = makeShared({ clock: parts.clock, ask, isKept: ({ ready }) => ready });
  const server: Server = createServer((request, response) => {
    const answer = (status: number, type: string, body: string) => {
      response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' });
      response.end(body);
    };
    const json = (status: number, value: unknown) => answer(status, 'application/json', `${JSON.stringify(value)}\n`);
    const respond = async () => {
      switch (request.url?.split('?')[0]) {
        case '/healthz':
          return json(200, { alive: true });
        case '/readyz': {
          const state = await shared();
          // An answer from before the process began to stop is not one of a process that takes work.
          const ready = state.ready && !parts.stopping.aborted;
          return json(ready ? 200 : 503, { ...state, ready });
        }
        case '/metrics':
          return answer(200, parts.metrics.contentType, await parts.metrics.scrape());
        default:
          return json(404, { message: 'There is /healthz, /readyz and /metrics.' });
      }
    };
    respond().catch((error: unknown) => {
      parts.log.error({ err: error }, 'a health answer failed');
      if (!response.headersSent) json(500, { alive: true });
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(parts.port, parts.host, resolve);
  });
  // Trouble with a single connection or descriptor is not a reason for the process to die.
  server.on('error', (error) => parts.log.warn({ err: error }, 'the health server has trouble'));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : parts.port;
  return {
    url: `http://${parts.host}:${port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
