import { type Act, type BeginAct, sql, type WriteTx } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Ids } from '../../kernel/id.ts';
import { secondMs } from '../../kernel/units.ts';
import { endConsoleSessions } from './console/console-sessions-store.ts';
import { endSessions, type SessionParts } from './sessions-routes.ts';

const personSql = sql(
  'account-person',
  'select id from users where oidc_issuer = $1 and oidc_subject = $2 and is_me(id) for no key update',
);

/**
 * Ends, for good, every sign-in of the person behind an account of our own provider: access tokens, refresh tokens and
 * browsers. Answers how many sessions there were. An account that has never called the API has no
 * person yet: the first request makes one, with the moment that the account itself keeps.
 */
export async function endSignInsOfAccount(
  parts: Pick<SessionParts, 'clock'>,
  tx: WriteTx,
  of: { readonly by: Act; readonly issuer: string; readonly accountId: string; readonly reason: string },
): Promise<number> {
  const [person] = await tx.rows<{ id: string }>(personSql, [of.issuer, of.accountId]);
  if (!person) return 0;
  const ended = await endSessions(parts, tx, { by: of.by, userId: person.id, reason: of.reason });
  await endConsoleSessions(tx, person.id, of.by.action, undefined);
  return ended;
}

/**
 * Waits for the end of this second. A sign-in carries its moment in whole seconds, so one in the second in which all were
 * ended would count as one from before.
 */
export const untilNextSecond = (clock: Clock) => clock.sleep(secondMs - (clock.now().getTime() % secondMs));

/** What follows a new password: everybody who signed in with the old one is signed out. */
export function makePasswordChanged(
  parts: Pick<SessionParts, 'db' | 'clock' | 'flush' | 'announce'> & {
    readonly begin: BeginAct;
    readonly ids: Ids;
    readonly issuer: string;
  },
) {
  const { db, clock, issuer } = parts;
  return async (accountId: string): Promise<void> => {
    await parts.flush();
    const by = parts.begin('password.reset', { correlationId: parts.ids.next() });
    await db.write(by, async (tx) => {
      const reason = 'a new password was chosen';
      const sessions = await endSignInsOfAccount({ clock }, tx, { by, issuer, accountId, reason });
      const target = { type: 'account', id: accountId };
      return tx.commit(undefined, { target, change: { ended: { sessions } }, events: 'none' });
    });
    parts.announce();
    await untilNextSecond(clock);
  };
}
