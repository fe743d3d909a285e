import { createHash, randomBytes } from 'node:crypto';
import type { SignIn } from '@gpuaas/sdk';
import { exitCodes, Failure } from '../failure.ts';

/** The sign-in settings of the installation. */
export type Discovered = SignIn;
/** The raw answer of a token endpoint. */
export type TokenAnswer = Readonly<Record<string, unknown>>;

/** PKCE: a code can be exchanged only with the verifier that stays here. */
export function makeChallenge(): { readonly verifier: string; readonly challenge: string } {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** The required authentication strength; undefined for any sign-in. */
export const askFor = (
  found: Discovered,
  how: { readonly stepUp: boolean; readonly secondFactor: boolean },
): Record<string, string> => ({
  ...((how.stepUp || how.secondFactor) && { prompt: 'login consent', max_age: '0' }),
  ...(how.secondFactor && found.second_factor_acr && { acr_values: found.second_factor_acr }),
});

export const refused = (error: unknown, description: unknown): Failure =>
  new Failure(
    exitCodes.signIn,
    error === 'access_denied' ? 'The sign-in was refused.' : `The sign-in failed: ${String(description ?? error)}`,
    { next: 'Try again with gpuaas login.' },
  );
