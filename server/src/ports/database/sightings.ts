import type { Pool } from 'pg';
import { sql } from '../../kernel/act.ts';
import type { Sightings } from './port.ts';

const seen = sql('credentials-seen', 'select credentials_seen($1::jsonb, $2::jsonb)');

export const makeSightings = (pool: Pool): Sightings => ({
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
    await pool.query({ ...seen, values });
  },
});
