import { expectOk, send } from '../call.ts';
import { exitCodes, Failure } from '../failure.ts';

/** Where and as whom to sign in, as the installation says. */
export interface Discovered {
  readonly issuer: string;
  readonly client_id: string;
  readonly scope: string;
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
  readonly device_authorization_endpoint: string | null;
  readonly revocation_endpoint: string | null;
}
/** The raw answer of a token endpoint. */
export type TokenAnswer = Readonly<Record<string, unknown>>;

export async function discover(baseUrl: string): Promise<Discovered> {
  return (await expectOk(send(`${baseUrl}/api/v1/sign-in`))).body as Discovered;
}

export const refused = (error: unknown, description: unknown): Failure =>
  new Failure(
    exitCodes.auth,
    error === 'access_denied' ? 'The sign-in was refused.' : `The sign-in failed: ${String(description ?? error)}`,
    { next: 'Try again with gpuaas login.' },
  );
