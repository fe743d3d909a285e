import type { SignIn } from '@gpuaas/sdk';
import { exitCodes, Failure } from '../failure.ts';

/** Where and as whom to sign in, as the installation says. */
export type Discovered = SignIn;
/** The raw answer of a token endpoint. */
export type TokenAnswer = Readonly<Record<string, unknown>>;

export const refused = (error: unknown, description: unknown): Failure =>
  new Failure(
    exitCodes.signIn,
    error === 'access_denied' ? 'The sign-in was refused.' : `The sign-in failed: ${String(description ?? error)}`,
    { next: 'Try again with gpuaas login.' },
  );
