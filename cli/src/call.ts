import { exitCodeOf, exitCodes, Failure, nextAfter } from './failure.ts';
import { assertPrivate } from './profile.ts';

export interface Answer {
  readonly status: number;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: an answer has the shape that its operation promises
  readonly body: any;
}

const answerWithinMs = 30_000;
export const userAgent = `gpuaas-cli (${process.platform})`;

/** One request. A server that cannot be reached is a failure of its own kind; what it answers is the caller's to judge. */
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

/** The refusal of our API, as the person should hear it. */
export function failureOf({ status, body }: Answer): Failure {
  const { code, message, correlation_id: correlationId } = (body ?? {}) as Record<string, string | undefined>;
  return new Failure(exitCodeOf(status), message ?? `The server answered ${status}.`, {
    correlationId,
    next: nextAfter(code, status),
  });
}

export async function expectOk(answer: Promise<Answer>): Promise<Answer> {
  const got = await answer;
  if (got.status >= 400) throw failureOf(got);
  return got;
}
