import { exitCodes, Failure } from '../failure.ts';
import type { Discovered } from './discover.ts';

/** Between the password and the token the provider shows a page of consent, and this program polls. */
const slackSeconds = 60;

/**
 * Refuses a sign-in for which the provider was to ask for the password and did not. The device flow has no standard way to
 * demand it, so a provider that still knows the browser may let it pass; the api would refuse such a token each time. Both times are
 * by the clock of the provider. A token that does not say when the person signed in is left to the api.
 */
export function assertFresh(accessToken: unknown, tookSeconds: number, { issuer }: Pick<Discovered, 'issuer'>): void {
  const { auth_time: signedInAt, iat: issuedAt } = claimsOf(accessToken);
  if (typeof signedInAt !== 'number' || typeof issuedAt !== 'number') return;
  if (issuedAt - signedInAt <= tookSeconds + slackSeconds) return;
  throw notAskedAgain({ issuer });
}

export const notAskedAgain = ({ issuer }: Pick<Discovered, 'issuer'>): Failure =>
  new Failure(exitCodes.signIn, 'The identity provider did not ask for your password again.', {
    next: `Sign out at ${issuer} in that browser, or open the address in a private window. gpuaas login --browser demands the password.`,
  });

function claimsOf(token: unknown): Readonly<Record<string, unknown>> {
  try {
    const [, body = ''] = String(token).split('.');
    return (JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) ?? {}) as Record<string, unknown>;
  } catch {
    return {};
  }
}
