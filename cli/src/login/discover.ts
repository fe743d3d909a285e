import { createHash, randomBytes } from 'node:crypto';
import type { SignIn } from '@gpuaas/sdk';
import { exitCodes, Failure } from '../failure.ts';

/** Where and as whom to sign in, as the installation says. */
export type Discovered = SignIn;
/** The raw answer of a token endpoint. */
export type TokenAnswer = Readonly<Record<string, unknown>>;

/** PKCE: whoever sees the code cannot exchange it without the half that stays here. */
export function makeChallenge(): { readonly verifier: string; readonly challenge: string } {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

export const refused = (error: unknown, description: unknown): Failure =>
  new Failure(
    exitCodes.signIn,
    error === 'access_denied' ? 'The sign-in was refused.' : `The sign-in failed: ${String(description ?? error)}`,
    { next: 'Try again with gpuaas login.' },
  );
