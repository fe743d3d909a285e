import { sql } from '../../kernel/act.ts';
import type { Unaudited } from '../../ports/database/port.ts';

/** A credential was used. That is not an act: it leaves no audit row, and many are written at once. */
export interface Sightings {
  record(seen: { readonly sessions: readonly SeenSession[]; readonly credentials: readonly Seen[] }): Promise<void>;
}
export interface Seen {
  readonly id: string;
  readonly seenAt: Date;
  readonly address: string | undefined;
  readonly userAgent: string | undefined;
}
/** `id` is the one that a session gets if it is new. */
export interface SeenSession extends Seen {
  readonly personId: string;
  readonly provider: 'oidc';
  readonly sessionId: string | undefined;
  readonly tokenId: string | undefined;
  readonly deviceLabel: string | undefined;
  readonly browser: string | undefined;
  readonly os: string | undefined;
  readonly signedInAt: Date;
  readonly expiresAt: Date;
}

const seen = sql('credentials-seen', 'select credentials_seen($1::jsonb, $2::jsonb)');

export const makeSightings = (unaudited: Unaudited): Sightings => ({
  async record({ sessions, credentials }) {
    const values = [
      JSON.stringify(
        sessions.map((session) => ({
          id: session.id,
          user_id: session.personId,
          provider: session.provider,
          session_id: session.sessionId ?? null,
          token_id: session.tokenId ?? null,
          device_label: session.deviceLabel ?? null,
          browser: session.browser ?? null,
          os: session.os ?? null,
          user_agent: session.userAgent ?? null,
          ip_address: session.address ?? null,
          signed_in_at: session.signedInAt,
          seen_at: session.seenAt,
          expires_at: session.expiresAt,
        })),
      ),
      JSON.stringify(
        credentials.map(({ id, seenAt, address, userAgent }) => ({
          id,
          seen_at: seenAt,
          ip_address: address ?? null,
          user_agent: userAgent ?? null,
        })),
      ),
    ];
    await unaudited.rows<object>(seen, values);
  },
});
