import { hash } from 'node:crypto';
import {
  personalTokenCreate,
  personalTokenList,
  personalTokenRevoke,
  platformRoles,
  type Scope,
  selfScopes,
  tenantRoles,
} from '@gpuaas/contract';
import { type Database, handlers, type Mounted, type ReadTx, type Viewer } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Ids } from '../../kernel/id.ts';
import { readPage } from '../../kernel/page.ts';
import { dayMs } from '../../kernel/units.ts';
import { secretBytes, shownOfSecret } from './facts.ts';
import { insertToken, listTokens, revokeToken, rolesOf, showToken } from './personal-tokens-store.ts';
import { addDenials } from './sessions-store.ts';

export interface PersonalTokenParts {
  readonly db: Database;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly flush: () => Promise<void>;
  readonly maxDays: (who: Viewer) => number;
  readonly announce: () => void;
}
const on = handlers<PersonalTokenParts>();

export const tokenPrefix = 'gpuaas_pat_';

/** Everything that a person may do anywhere, with the token at hand: a new one cannot hold more. */
async function scopesHeld(tx: ReadTx, who: Viewer): Promise<ReadonlySet<Scope>> {
  const { tenant, platform } = await rolesOf(tx, who.actorId);
  const held = new Set<Scope>([
    ...selfScopes,
    ...tenant.flatMap((role) => tenantRoles[role]),
    ...platform.flatMap((role) => platformRoles[role]),
  ]);
  const narrowed = who.credential?.scopes;
  return narrowed ? new Set([...held].filter((scope) => narrowed.has(scope))) : held;
}

const create = on(personalTokenCreate, async ({ db, ids, clock, maxDays }, act, { body }) => {
  const most = maxDays(act);
  if (body.expires_in_days > most) {
    return new Fault('personal_token_expiry_invalid', `A token lives at most ${most} days here.`, { max_days: most });
  }
  return db.write(act, async (tx) => {
    const held = await scopesHeld(tx, act);
    const beyond = body.scopes.filter((scope) => !held.has(scope));
    if (beyond.length > 0) {
      return tx.abandon(
        new Fault('insufficient_permissions', `You cannot give away what you do not have: ${beyond.join(', ')}.`, {
          beyond,
        }),
      );
    }
    const secret = ids.secret(secretBytes);
    const token = `${tokenPrefix}${secret}`;
    const row = await insertToken(tx, {
      id: ids.next(),
      userId: act.actorId,
      name: body.name,
      prefix: `${tokenPrefix}${secret.slice(0, shownOfSecret)}`,
      digest: hash('sha256', token, 'hex'),
      scopes: body.scopes,
      expiresAt: new Date(clock.now().getTime() + body.expires_in_days * dayMs),
    });
    return tx.commit(
      { ...showToken(row), token },
      {
        target: { type: 'personal_token', id: row.id },
        change: { name: row.name, scopes: row.scopes, expires_at: row.expires_at.toISOString() },
        events: 'none',
      },
    );
  });
});

const list = on(personalTokenList, ({ db, flush }, who, { query }) =>
  readPage({
    name: 'personal-tokens',
    query,
    read: async (before, limit) => {
      await flush();
      return db.read(who, (tx) => listTokens(tx, who.actorId, before, limit));
    },
    keyOf: (row) => row.id,
    show: showToken,
  }),
);

const revoke = on(personalTokenRevoke, async ({ db, clock, announce }, act, { params }) => {
  const written = await db.write(act, async (tx) => {
    const row = await revokeToken(tx, params.token_id, act.actorId);
    if (!row) return tx.abandon(new Fault('personal_token_not_found', 'There is no such object.'));
    await addDenials(
      tx,
      [{ kind: 'token', subject: row.id, reason: act.action, expiresAt: row.expires_at }],
      clock.now(),
    );
    return tx.commit(showToken(row), { target: { type: 'personal_token', id: row.id }, events: 'none' });
  });
  announce();
  return written;
});

export const personalTokenRoutes = (parts: PersonalTokenParts): Mounted[] =>
  [create, list, revoke].map((bind) => bind(parts));
