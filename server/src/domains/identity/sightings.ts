import type { Credential } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Ids } from '../../kernel/id.ts';
import type { Log } from '../../kernel/telemetry/log.ts';
import { everyMs, gatherMs, maxRemembered, maxWaiting } from './facts.ts';
import type { Seen, SeenSession, Sightings } from './sightings-store.ts';
import { describeDevice } from './user-agent.ts';

/** A person was active. */
export interface Sighting {
  readonly personId: string;
  readonly credential: Credential;
  /** The key of a service account that asked for the token. */
  readonly keyId: string | undefined;
  readonly issuedAt: Date | undefined;
  readonly signedInAt: Date | undefined;
  readonly expiresAt: Date;
  readonly address: string;
  readonly userAgent: string | undefined;
}
export interface Watch {
  note(sighting: Sighting): void;
  /** Writes the buffered sightings before they are read. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Notes who was seen, without a write per request: at most one a minute for each credential, many in one statement, and
 * nothing at all while nobody comes. What does not fit is dropped: the next request brings it again.
 */
export function openWatch(parts: {
  readonly record: Sightings['record'];
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
}): Watch {
  const { clock } = parts;
  const lastNoted = new Map<string, number>();
  let sessions = new Map<string, SeenSession>();
  let credentials = new Map<string, Seen>();
  const stopping = new AbortController();
  let gathering: Promise<void> | undefined;
  let tail: Promise<void> = Promise.resolve();

  const write = async () => {
    const batch = { sessions: [...sessions.values()], credentials: [...credentials.values()] };
    sessions = new Map();
    credentials = new Map();
    if (batch.sessions.length + batch.credentials.length === 0) return;
    try {
      await parts.record(batch);
    } catch (error) {
      parts.log.warn({ err: error }, 'who was seen could not be written down; the next request says it again');
      lastNoted.clear();
    }
  };
  const flush = (): Promise<void> => {
    tail = tail.then(write);
    return tail;
  };
  const gather = () => {
    gathering ??= clock
      .sleep(gatherMs, stopping.signal)
      .catch(() => undefined)
      .then(() => {
        gathering = undefined;
        return flush();
      });
  };

  return {
    note(sighting) {
      const { credential, personId, keyId } = sighting;
      const isSession = credential.kind === 'oidc';
      const name = isSession
        ? `${personId} ${credential.sessionId ?? credential.tokenId ?? ''}`
        : (keyId ?? credential.tokenId);
      if (!name || (isSession && !credential.sessionId && !credential.tokenId)) return;
      const now = clock.now();
      // A refreshed token of the same session is news, and so is a session from another place.
      const key = `${name} ${credential.tokenId ?? ''} ${sighting.address}`;
      if (now.getTime() - (lastNoted.get(key) ?? Number.NEGATIVE_INFINITY) < everyMs) return;
      if (sessions.size + credentials.size >= maxWaiting) return;
      if (lastNoted.size >= maxRemembered) lastNoted.delete(lastNoted.keys().next().value ?? '');
      lastNoted.delete(key);
      lastNoted.set(key, now.getTime());
      const seen = { seenAt: now, address: sighting.address, userAgent: sighting.userAgent };
      if (isSession) {
        sessions.set(name, {
          ...seen,
          ...describeDevice(sighting.userAgent),
          id: parts.ids.next(),
          personId,
          provider: 'oidc',
          sessionId: credential.sessionId,
          tokenId: credential.tokenId,
          signedInAt: sighting.signedInAt ?? sighting.issuedAt ?? now,
          expiresAt: sighting.expiresAt,
        });
      } else credentials.set(name, { ...seen, id: name });
      gather();
    },
    flush,
    async close() {
      stopping.abort(new Error('closed'));
      await gathering;
      await flush();
    },
  };
}
