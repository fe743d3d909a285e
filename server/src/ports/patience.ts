import { systemClock } from '../kernel/clock.ts';
import { jitteredBackoffMs } from '../kernel/process/backoff.ts';
import { ConfigFault } from '../kernel/process/config.ts';
import type { Log } from '../kernel/telemetry/log.ts';
import { redactText } from '../kernel/telemetry/redact.ts';
import { SchemaMismatch } from './database/migrate.ts';

/** A server outside: what people call it, where it is (without credentials), and the variable that says so. */
export interface Outside {
  readonly server: string;
  readonly at: string;
  readonly variable: string;
}

/** A server was not there, and nobody waits for it any longer. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

const wait = { firstMs: 100, maxMs: 5_000 };

/**
 * Opens something outside, and tries again while its server is away: servers of an installation start in any order. What
 * waiting cannot mend (a wrong password, a schema of another release, a missing setting) fails at once.
 */
export async function openPatiently<T>(
  outside: Outside,
  open: () => Promise<T>,
  parts: {
    readonly withinMs: number;
    readonly log: Log;
    readonly stopping: AbortSignal;
    /** Called with what is waited for, for the readiness check. */
    readonly waiting: (why: string) => void;
  },
): Promise<T> {
  const { server, at, variable } = outside;
  const until = performance.now() + parts.withinMs;
  for (let failures = 1; ; failures += 1) {
    try {
      return await open();
    } catch (error) {
      if (!mayPass(error)) throw error;
      const why = redactText(reasonOf(error));
      const sentence = `${server} at ${at} (${variable}) cannot be reached: ${why}`;
      const pauseMs = jitteredBackoffMs(wait, failures);
      if (parts.stopping.aborted || performance.now() + pauseMs > until) {
        throw new Unreachable(`${sentence}. Gave up after ${Math.round(parts.withinMs / 1_000)} s.`, { cause: error });
      }
      parts.waiting(sentence);
      if (failures === 1) parts.log.warn({ server, at, variable, why }, 'waiting for a server that cannot be reached');
      await systemClock.sleep(pauseMs, parts.stopping).catch(() => undefined);
    }
  }
}

/** Refusals of PostgreSQL, Redis and NATS that are about us: credentials, or a database that nobody made. */
const forGood = /^(?:28|3D|42)/;
const refusal = /WRONGPASS|NOAUTH|NOPERM|authorization violation|authentication/i;

function mayPass(error: unknown): boolean {
  if (error instanceof ConfigFault || error instanceof SchemaMismatch) return false;
  const { code } = error as { readonly code?: unknown };
  if (typeof code === 'string' && forGood.test(code)) return false;
  return !refusal.test(reasonOf(error));
}

/** Some libraries wrap several attempts into one error without words of its own. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors.at(-1));
  if (!(error instanceof Error)) return String(error);
  const { code } = error as { readonly code?: unknown };
  const own = error.message || (typeof code === 'string' ? code : error.name);
  return error.cause instanceof Error && error.cause.message !== '' ? `${own} (${reasonOf(error.cause)})` : own;
}
