import { secondMs } from '../kernel/units.ts';

/**
 * Pushes lines to a Loki. It is a second home, where an installation has one: lines are kept in PostgreSQL with and without it. So there
 * is no embedded adapter, and a push that fails loses nothing that operators cannot still read.
 */
export interface LokiConfig {
  readonly url: string;
  /** For a Loki behind a door that wants one. */
  readonly token?: string | undefined;
  /** The tenant of a Loki that has several. */
  readonly tenant?: string | undefined;
}

const path = '/loki/api/v1/push';
const answerWithinMs = 10 * secondMs;
const tooMany = 429;
const firstServerError = 500;

/**
 * `refused`: the same push would be refused again. `failed`: it may be tried later. Redirects are not followed: a push goes to the address
 * that was configured, with its token, or nowhere.
 */
export function openLoki({ url, token, tenant }: LokiConfig) {
  const leaving = new AbortController();
  const headers = {
    'content-type': 'application/json',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(tenant !== undefined && { 'x-scope-orgid': tenant }),
  };
  const target = `${url.replace(/\/+$/, '')}${path}`;
  return {
    async push(streams: readonly object[]): Promise<'taken' | 'refused' | 'failed'> {
      try {
        const answer = await fetch(target, {
          ...{ method: 'POST', headers, body: JSON.stringify({ streams }), redirect: 'error' },
          signal: AbortSignal.any([AbortSignal.timeout(answerWithinMs), leaving.signal]),
        });
        await answer.body?.cancel();
        if (answer.ok) return 'taken';
        return answer.status === tooMany || answer.status >= firstServerError ? 'failed' : 'refused';
      } catch {
        return 'failed';
      }
    },
    close: () => leaving.abort(),
  };
}
