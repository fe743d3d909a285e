import { assertPrivate } from './account/profile.ts';
import { exitCodes, Failure } from './failure.ts';

export interface Answer {
  readonly status: number;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: an answer has the shape that its operation promises
  readonly body: any;
}

const answerWithinMs = 30_000;
export const userAgent = `gpuaas-cli (${process.platform})`;

/**
 * One request to an identity provider. An unreachable server is a failure of its own kind; the caller judges the
 * answer.
 */
export async function send(url: string | URL, init: RequestInit = {}): Promise<Answer> {
  assertPrivate(new URL(url), 'A server');
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, {
      ...init,
      redirect: 'error',
      headers: { accept: 'application/json', 'user-agent': userAgent, ...(init.headers as Record<string, string>) },
      signal: AbortSignal.timeout(answerWithinMs),
    });
    text = await response.text();
  } catch (cause) {
    const why = cause instanceof Error ? (cause.cause instanceof Error ? cause.cause.message : cause.message) : '';
    throw new Failure(exitCodes.server, `${new URL(url).origin} cannot be reached: ${why}`, {
      next: 'Check --base-url, and whether the installation runs.',
      cause,
    });
  }
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = undefined;
  }
  return { status: response.status, text, body };
}
