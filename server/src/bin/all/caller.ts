import { systemClock } from '../../kernel/clock.ts';
import { systemIds } from '../../kernel/id.ts';

/** Asks the api as a person would, and throws what it refuses. */
export type Call = (method: string, path: string, body?: object) => Promise<unknown>;

const mostTries = 20;
const defaultPauseMs = 1_000;

/** `token` is asked for before each request: tokens are short-lived, and some work is not. */
export const makeCaller =
  (apiUrl: string, token: () => Promise<string>): Call =>
  async (method, path, body) => {
    const key = systemIds.next();
    for (let tries = 1; ; tries += 1) {
      const response = await fetch(`${apiUrl}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${await token()}`,
          ...(method !== 'GET' && { 'idempotency-key': key }),
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (response.ok) return JSON.parse(text);
      const isBusy = response.status === 429 || response.status === 503;
      if (!isBusy || tries === mostTries) throw new Error(`${method} ${path} answered ${text}`);
      await systemClock.sleep(Number(response.headers.get('retry-after') ?? 0) * 1_000 || defaultPauseMs);
    }
  };
