import { Fault } from '../fault.ts';

/** A sign-in, as a token shows it. */
export interface ShownSignIn {
  readonly sessionId: string | undefined;
  readonly tokenId: string | undefined;
  /** When the person last signed in; undefined when the issuer does not say. */
  readonly signedInAt: Date | undefined;
}
/**
 * The name of a sign-in: the one that its issuer gave it, or else the moment of the sign-in, which renewing a token does not
 * move. Without either, only the token itself can be revoked.
 */
export const sessionNameOf = (sid: string | undefined, authTime: number | undefined): string | undefined =>
  sid ?? (authTime === undefined ? undefined : `signed-in-${Math.floor(authTime)}`);

/** From when on the sign-ins of a person count. Renewing a token does not move the moment of its sign-in. */
export interface SignInFloor {
  readonly notBefore: Date;
  /** The sign-in that revoked the others stays valid. It is identified by the first of these that is set. */
  readonly spares: Partial<ShownSignIn>;
}

/** Whether a sign-in is revoked. One without a time is, unless it is the spared one. */
export function isBelow({ notBefore, spares }: SignInFloor, shown: ShownSignIn): boolean {
  if (shown.signedInAt && shown.signedInAt >= notBefore) return false;
  if (spares.sessionId !== undefined) return spares.sessionId !== shown.sessionId;
  if (spares.signedInAt) return spares.signedInAt.getTime() !== shown.signedInAt?.getTime();
  return spares.tokenId === undefined || spares.tokenId !== shown.tokenId;
}

const revokedDetails = { authorization_parameters: { prompt: 'login', max_age: 0 } };

/** The refusal of a revoked sign-in; it tells a client what to ask the issuer for. */
export const revoked = (): Fault<'token_invalid'> =>
  new Fault('token_invalid', 'This sign-in was revoked: sign in again.', revokedDetails);

export const isRevocation = (fault: Fault): boolean => fault.details === revokedDetails;
