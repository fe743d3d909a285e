import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * The name under which a wait is answered. It must be the same whenever the question is repeated, and nobody may
 * guess it; so each run gets a secret when it begins, and a step's token is the run, the step and a seal made with
 * that secret. Who holds the token of one step cannot make the token of another.
 */
export interface TokenParts {
  readonly run: string;
  readonly step: string;
  readonly seal: string;
}

export const makeToken = (secret: string, run: string, step: string): string =>
  `${Buffer.from(JSON.stringify([run, step])).toString('base64url')}.${sealOf(secret, run, step)}`;

export function readToken(token: string): TokenParts | undefined {
  const [name, seal, ...rest] = token.split('.');
  if (name === undefined || seal === undefined || rest.length > 0) return undefined;
  try {
    const parts: unknown = JSON.parse(Buffer.from(name, 'base64url').toString());
    if (!Array.isArray(parts)) return undefined;
    const [run, step] = parts as unknown[];
    return typeof run === 'string' && typeof step === 'string' ? { run, step, seal } : undefined;
  } catch {
    return undefined;
  }
}

export function isSealedBy(secret: string, token: TokenParts): boolean {
  const given = Buffer.from(token.seal);
  const expected = Buffer.from(sealOf(secret, token.run, token.step));
  return given.length === expected.length && timingSafeEqual(given, expected);
}

const sealOf = (secret: string, run: string, step: string): string =>
  createHmac('sha256', secret)
    .update(JSON.stringify([run, step]))
    .digest('base64url');
