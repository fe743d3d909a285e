import { systemClock } from '../../kernel/clock.ts';
import { systemIds } from '../../kernel/id.ts';

/** Asks the api as a person would, and throws what it refuses. */
export type Call = (method: string, path: string, body?: object) => Promise<unknown>;

export class CallRefused extends Error {
  override readonly name = 'CallRefused';
  readonly code: string | undefined;
  constructor(message: string, code: string | undefined) {
    super(message);
    this.code = code;
  }
}
function codeOf(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { code?: string }).code;
  } catch {
    return undefined;
  }
}

/** Tokens last five minutes, and some work takes longer. */
const tokenMs = 120_000;

/** Asks for a token when there is none, or when the last one is about to end. */
export function keepToken(ask: () => Promise<string>): () => Promise<string> {
  let kept: { readonly token: Promise<string>; readonly untilMs: number } | undefined;
  return () => {
    const nowMs = systemClock.now().getTime();
    if (!kept || kept.untilMs <= nowMs) kept = { token: ask(), untilMs: nowMs + tokenMs };
    return kept.token;
  };
}

const mostTries = 20;
const defaultPauseMs = 1_000;

/** `token` is asked for before each request: tokens are short-lived, and some work is not. */
export const makeCaller =
  (apiUrl: string, token: () => Promise<string>, headers: Readonly<Record<string, string>> = {}): Call =>
  async (method, path, body) => {
    const key = systemIds.next();
    for (let tries = 1; ; tries += 1) {
      const response = await fetch(`${apiUrl}${path}`, {
        method,
        headers: {
          ...headers,
          authorization: `Bearer ${await token()}`,
          ...(method !== 'GET' && { 'idempotency-key': key }),
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (response.ok) return JSON.parse(text);
      const isBusy = response.status === 429 || response.status === 503;
      if (!isBusy || tries === mostTries) throw new CallRefused(`${method} ${path} answered ${text}`, codeOf(text));
      await systemClock.sleep(Number(response.headers.get('retry-after') ?? 0) * 1_000 || defaultPauseMs);
    }
  };
