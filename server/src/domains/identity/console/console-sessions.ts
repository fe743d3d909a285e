import type { Act, Viewer } from '../../../kernel/act.ts';
import { systemViewer } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Ids } from '../../../kernel/id.ts';
import { keepAddress } from '../contact-addresses-store.ts';
import { denialOf, type SessionParts } from '../sessions-routes.ts';
import { addDenials, lockCurrent, markRevoked } from '../sessions-store.ts';
import {
  type ConsoleSession,
  endConsoleSession,
  findConsoleSession,
  insertConsoleSession,
  type NewConsoleSession,
  sweepConsoleSessions,
} from './console-sessions-store.ts';

/** The person at a browser, as far as an act needs it. */
export type AtBrowser = Pick<Viewer, 'correlationId' | 'address' | 'userAgent'> & { readonly personId: string };

/** The browsers that are signed in to the console. Only the holder of the seal can read their tokens. */
export interface ConsoleSessions {
  /** `email` is the address that the provider gave with the sign-in. */
  begin(session: NewConsoleSession, who: AtBrowser, email?: string): Promise<void>;
  /** By the SHA-256 of the cookie, in hex; nothing when it never was, or is over. */
  find(digest: string): Promise<ConsoleSession | undefined>;
  /** Ends the browser's session; and with it the sign-in, whose tokens are refused, unless that goes on elsewhere. */
  end(
    session: ConsoleSession,
    reason: string,
    who: AtBrowser,
    goesOn?: { readonly sessionId: string | undefined },
  ): Promise<void>;
  maxHours(): number;
}

export function makeConsoleSessions(
  parts: SessionParts & {
    readonly ids: Ids;
    readonly beginFor: (action: string, who: AtBrowser) => Act;
  },
): ConsoleSessions {
  const { db, ids, clock } = parts;
  return {
    maxHours: parts.sessionMaxHours,
    async begin(session, who, email) {
      const written = await db.write(parts.beginFor('console_session.begin', who), async (tx) => {
        await sweepConsoleSessions(tx, session.personId, clock.now());
        await insertConsoleSession(tx, session);
        await keepAddress(tx, session.personId, email);
        return tx.commit(undefined, { target: { type: 'console_session', id: session.id }, events: 'none' });
      });
      if (written instanceof Fault) throw new Error('a console session was not begun', { cause: written });
    },
    find: (digest) =>
      db.read(systemViewer('identity', { correlationId: ids.next() }), (tx) => findConsoleSession(tx, digest)),
    async end(session, reason, who, goesOn) {
      // The session that everybody sees in their list may not be written down yet.
      await parts.flush();
      await db.write(parts.beginFor('console_session.end', who), async (tx) => {
        const isOver = session.sessionId !== undefined && session.sessionId !== goesOn?.sessionId;
        const credential = { sessionId: session.sessionId, tokenId: undefined };
        const row = isOver ? await lockCurrent(tx, session.personId, credential) : undefined;
        if (row && row.revoked_at === null) {
          await markRevoked(tx, [row.id], session.personId, reason);
          await addDenials(tx, [denialOf(parts, row, reason)], clock.now());
        }
        await endConsoleSession(tx, session.id, reason);
        return tx.commit(undefined, {
          target: { type: 'console_session', id: session.id },
          change: { reason },
          events: 'none',
        });
      });
      parts.announce();
    },
  };
}
