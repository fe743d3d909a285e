import { secondMs } from '../../kernel/units.ts';
import type { Loki, LokiAnswer } from './port.ts';

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

/** Redirects are not followed: a push goes to the address that was configured, with its token, or nowhere. */
export function openLoki({ url, token, tenant }: LokiConfig): Loki {
  const leaving = new AbortController();
  const headers = {
    'content-type': 'application/json',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(tenant !== undefined && { 'x-scope-orgid': tenant }),
  };
  const target = `${url.replace(/\/+$/, '')}${path}`;
  return {
    async push(streams): Promise<LokiAnswer> {
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
