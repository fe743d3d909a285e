import {
  sessionList,
  sessionRevoke,
  sessionRevokeOthers,
  userSessionList,
  userSessionRevoke,
  userSessionRevokeAll,
} from '@gpuaas/contract';
import {
  type Act,
  type Credential,
  type Database,
  handlers,
  type Mounted,
  type Viewer,
  type WriteTx,
} from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { readPage } from '../../kernel/page.ts';
import { hourMs } from '../../kernel/units.ts';
import { endConsoleSessions } from './console/console-sessions-store.ts';
import { whyNotTouch } from './operators-apart.ts';
import { lockPerson } from './people-store.ts';
import {
  addDenials,
  listSessions,
  lockCurrent,
  lockSession,
  lockUnrevoked,
  markRevoked,
  type NewDenial,
  type SessionRow,
  showSession,
  userExists,
} from './sessions-store.ts';
import { raiseFloor } from './sign-in-floors-store.ts';

export interface SessionParts {
  readonly db: Database;
  readonly clock: Clock;
  /** Writes down who was seen and is not yet in the table. */
  readonly flush: () => Promise<void>;
  readonly sessionMaxHours: () => number;
  /** How the deny list of every process names a session. */
  readonly sessionSubject: (personId: string, sessionId: string) => string;
  /** Tells every process, this one included, that something was revoked. */
  readonly announce: () => void;
}
const on = handlers<SessionParts>();
const absent = () => new Fault('session_not_found', 'There is no such object.');
const noUser = () => new Fault('user_not_found', 'There is no such object.');

function show(
  { db, clock }: SessionParts,
  who: Viewer,
  userId: string,
  query: { readonly limit?: number; readonly cursor?: string },
) {
  return readPage({
    name: 'sessions',
    query,
    read: (before, limit) => db.read(who, (tx) => listSessions(tx, userId, { now: clock.now(), before, limit })),
    keyOf: (row) => row.id,
    show: (row) => showSession(row, who.actorId === userId ? who.credential : undefined),
  });
}

/**
 * Makes every process refuse a session at once. It is kept for as long as a sign-in lives here; after that the row of the
 * session says so, for ever. A bare token is refused until it would have ended by itself.
 */
export function denialOf(parts: SessionParts, row: SessionRow, reason: string): NewDenial {
  const now = parts.clock.now().getTime();
  return row.provider_session_id !== null
    ? {
        kind: 'session',
        subject: parts.sessionSubject(row.user_id, row.provider_session_id),
        reason,
        expiresAt: new Date(now + parts.sessionMaxHours() * hourMs),
      }
    : { kind: 'token', subject: row.latest_token_id ?? '', reason, expiresAt: row.expires_at };
}

/**
 * Ends every sign-in of a person but one, for good: those in the table, and by their moment those that no process has seen
 * yet.
 */
export async function endSessions(
  parts: Pick<SessionParts, 'clock'>,
  tx: WriteTx,
  { by, userId, spared, reason }: EndOfSessions,
): Promise<number> {
  const rows = await lockUnrevoked(tx, userId, spared);
  await markRevoked(
    tx,
    rows.map(({ id }) => id),
    by.actorId,
    reason,
  );
  await raiseFloor(tx, userId, { notBefore: parts.clock.now(), spares: spared ?? {} }, reason ?? by.action);
  return rows.length;
}
interface EndOfSessions {
  readonly by: Act;
  readonly userId: string;
  readonly spared?: Credential | undefined;
  readonly reason: string | undefined;
}

/** Why this operator may not end sessions of this person. Everybody may end their own. */
async function whyNotEnd(tx: WriteTx, act: Act, userId: string) {
  const person = act.actorId === userId ? undefined : await lockPerson(tx, userId);
  return person && whyNotTouch(tx, act, person);
}

const revokeMany = (
  parts: SessionParts,
  act: Act,
  userId: string,
  spared: Credential | undefined,
  given: string | undefined,
) =>
  parts.db.write(act, async (tx) => {
    if (!(await userExists(tx, userId))) return tx.abandon(noUser());
    const refused = await whyNotEnd(tx, act, userId);
    if (refused) return tx.abandon(refused);
    const revoked = await endSessions(parts, tx, { by: act, userId, spared, reason: given });
    await endConsoleSessions(tx, userId, given ?? act.action, spared);
    return tx.commit(
      { revoked },
      { target: { type: 'user', id: userId }, change: { revoked, reason: given }, events: 'none' },
    );
  });

async function endOne(
  parts: SessionParts,
  tx: WriteTx,
  act: Act,
  which: { readonly userId: string; readonly sessionId: string; readonly reason?: string | undefined },
) {
  const { userId, sessionId, reason } = which;
  const row =
    sessionId === 'current'
      ? act.credential && (await lockCurrent(tx, userId, act.credential))
      : await lockSession(tx, sessionId, userId);
  if (!row) return tx.abandon(absent());
  await markRevoked(tx, [row.id], act.actorId, reason);
  await addDenials(tx, [denialOf(parts, row, reason ?? act.action)], parts.clock.now());
  const after = (await lockSession(tx, row.id, userId)) ?? row;
  return tx.commit(showSession(after, act.actorId === userId ? act.credential : undefined), {
    target: { type: 'session', id: row.id },
    change: { user_id: userId, reason },
    about: userId,
    events: 'none',
  });
}

const list = on(sessionList, async (parts, who, { query }) => {
  await parts.flush();
  return show(parts, who, who.actorId, query);
});

const revoke = on(sessionRevoke, async (parts, act, { params }) => {
  await parts.flush();
  const which = { userId: act.actorId, sessionId: params.session_id };
  const written = await parts.db.write(act, (tx) => endOne(parts, tx, act, which));
  parts.announce();
  return written;
});

const revokeOthers = on(sessionRevokeOthers, async (parts, act, { body }) => {
  await parts.flush();
  const written = await revokeMany(parts, act, act.actorId, act.credential, body.reason);
  parts.announce();
  // The caller exists: the mount has just recognised them.
  if (written instanceof Fault) throw new Error('a caller is not in the table of people', { cause: written });
  return written;
});

const listOfUser = on(userSessionList, async (parts, who, { params, query }) => {
  await parts.flush();
  if (!(await parts.db.read(who, (tx) => userExists(tx, params.user_id)))) return noUser();
  return show(parts, who, params.user_id, query);
});

const revokeOfUser = on(userSessionRevoke, async (parts, act, { params, body }) => {
  await parts.flush();
  const which = { userId: params.user_id, sessionId: params.session_id, reason: body.reason };
  const written = await parts.db.write(act, async (tx) => {
    const refused = await whyNotEnd(tx, act, which.userId);
    return refused ? tx.abandon(refused) : endOne(parts, tx, act, which);
  });
  parts.announce();
  return written;
});

const revokeAllOfUser = on(userSessionRevokeAll, async (parts, act, { params, body }) => {
  await parts.flush();
  const written = await revokeMany(parts, act, params.user_id, undefined, body.reason);
  parts.announce();
  return written;
});

export const sessionRoutes = (parts: SessionParts): Mounted[] =>
  [list, revoke, revokeOthers, listOfUser, revokeOfUser, revokeAllOfUser].map((bind) => bind(parts));
