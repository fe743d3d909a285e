import { hash } from 'node:crypto';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { isBelow, type SignInFloor } from '../../kernel/access/revocation.ts';

/** The revocations of a person's sign-ins, and of the named one. */
export type FindRevocations = (
  subject: string,
  sessionId: string | undefined,
) => Promise<{ readonly floor: SignInFloor | undefined; readonly sessionRevokedAt: Date | undefined }>;

/** What the library holds of a sign-in: a code or a refresh token. Access tokens carry no moment and are not asked about. */
interface Source {
  readonly grantId?: string | undefined;
  readonly authTime?: number | undefined;
  readonly kind?: string;
}

/** Of base64url: 128 bits and a little. */
const sidLength = 22;
const renewable = new Set(['AuthorizationCode', 'DeviceCode', 'RefreshToken']);

/**
 * Asks, before a sign-in is used or renewed, whether the installation has revoked it. It is asked of the table each time:
 * this is rare, and an answer from memory could renew what was revoked a moment ago.
 */
export function makeWatch(parts: { readonly revocations: FindRevocations }) {
  // Each sign-in has a grant of its own, so ending one leaves the others that began in the same browser alone. The name
  // stays the same when sealing keys are replaced, so that a revoked sign-in stays revoked; no grant follows from it.
  const sessionOf = (grantId: string | undefined): string | undefined =>
    grantId && hash('sha256', `sign-in ${grantId}`, 'base64url').slice(0, sidLength);
  const dateOf = (seconds: number | undefined) => (seconds === undefined ? undefined : new Date(seconds * 1_000));

  return {
    sessionOf,
    /** Whether what would be exchanged or renewed was revoked. */
    async isOver(subject: string, source: object): Promise<boolean> {
      const { grantId, authTime, kind } = source as Source;
      if (!renewable.has(kind ?? '')) return false;
      const sessionId = sessionOf(grantId);
      const { floor, sessionRevokedAt } = await parts.revocations(subject, sessionId);
      const shown = { sessionId, tokenId: undefined, signedInAt: dateOf(authTime) };
      return sessionRevokedAt !== undefined || (floor !== undefined && isBelow(floor, shown));
    },
    async isRevoked(subject: string, grantId: string | undefined): Promise<boolean> {
      return (await parts.revocations(subject, sessionOf(grantId))).sessionRevokedAt !== undefined;
    },
    /** Whether the person at this browser was last asked for the password before something of theirs was revoked. */
    async mustSignInAgain(ctx: KoaContextWithOIDC): Promise<boolean> {
      const { session, client, result } = ctx.oidc;
      if (!session?.accountId || !client) return false;
      const sessionId = sessionOf(session.grantIdFor(client.clientId));
      const { floor, sessionRevokedAt } = await parts.revocations(session.accountId, sessionId);
      const signedInAt = dateOf(session.loginTs);
      // A password that was given just now begins another sign-in than the one that was revoked by itself. It may still
      // be below the floor: a browser can wait with the last redirect until the password has changed.
      if (sessionRevokedAt && !result?.login && !(signedInAt && signedInAt > sessionRevokedAt)) return true;
      return floor !== undefined && isBelow(floor, { sessionId, tokenId: undefined, signedInAt });
    },
  };
}
export type Watch = ReturnType<typeof makeWatch>;
