import {
  type PublicKey,
  serviceAccountKeyCreate,
  serviceAccountKeyList,
  serviceAccountKeyRevoke,
} from '@gpuaas/contract';
import { exportJWK, generateKeyPair, importJWK } from 'jose';
import { type Database, handlers, type Mounted, type Viewer } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Ids } from '../../kernel/id.ts';
import { readPage } from '../../kernel/page.ts';
import { dayMs } from '../../kernel/units.ts';
import { insertKey, listKeys, revokeKey, showKey } from './keys-store.ts';
import { grantScopes } from './scope-grant.ts';
import { findAccount } from './store.ts';

export interface KeyParts {
  readonly db: Database;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly keyMaxDays: (who: Viewer) => number;
  /** Writes down which keys were seen and are not yet in the table. */
  readonly flush: () => Promise<void>;
  readonly changed: () => void;
}
const on = handlers<KeyParts>();
const listName = 'service-account-keys';

export const algorithmOf = (key: PublicKey): 'ES256' | 'EdDSA' => (key.kty === 'EC' ? 'ES256' : 'EdDSA');

/** A pair of our making: the public half to keep, the private one to show once. */
async function makePair(id: string): Promise<{ publicKey: PublicKey; privateKey: Record<string, string> }> {
  const pair = await generateKeyPair('ES256', { extractable: true });
  const { kty, crv, x, y } = await exportJWK(pair.publicKey);
  const { d = '' } = await exportJWK(pair.privateKey);
  const publicKey = { kty, crv, x, y } as PublicKey;
  return { publicKey, privateKey: { ...publicKey, d, kid: id, alg: 'ES256' } };
}

/** Numbers that are no point of their curve make no key. */
const isUsable = async (key: PublicKey): Promise<boolean> =>
  importJWK(key, algorithmOf(key)).then(
    () => true,
    () => false,
  );

const create = on(serviceAccountKeyCreate, async ({ db, ids, clock, keyMaxDays }, act, { params, body }) => {
  const most = keyMaxDays(act);
  if (body.expires_in_days > most) {
    return new Fault('service_account_key_invalid', `A key lives at most ${most} days here.`, { max_days: most });
  }
  if (body.public_key && !(await isUsable(body.public_key))) {
    return new Fault('service_account_key_invalid', 'This is no public key on its curve.');
  }
  const id = ids.next();
  const made = body.public_key ? undefined : await makePair(id);
  return db.write(act, async (tx) => {
    const account = await findAccount(tx, params.service_account_id);
    if (!account) return tx.abandon(new Fault('service_account_not_found', 'There is no such object.'));
    if (account.state === 'deleted') {
      return tx.abandon(new Fault('illegal_transition', 'It is deleted, and takes no more keys.'));
    }
    // A key authenticates as the account, so it grants everything that the account may do.
    const may = grantScopes(act, account.scopes);
    if (may instanceof Fault) return tx.abandon(may);
    const row = await insertKey(tx, may, account, {
      id,
      name: body.name,
      publicKey: (made?.publicKey ?? body.public_key) as PublicKey,
      expiresAt: new Date(clock.now().getTime() + body.expires_in_days * dayMs),
    });
    return tx.commit(
      { ...showKey(row), ...(made && { private_key: made.privateKey }) },
      {
        target: { type: 'service_account_key', id },
        change: {
          service_account_id: account.id,
          name: row.name,
          made_here: made !== undefined,
          expires_at: row.expires_at.toISOString(),
        },
        events: 'none',
      },
    );
  });
});

const list = on(serviceAccountKeyList, ({ db, flush }, who, { params, query }) =>
  readPage({
    name: listName,
    query,
    read: async (before, limit) => {
      await flush();
      return db.read(who, (tx) => listKeys(tx, params.service_account_id, before, limit));
    },
    keyOf: (row) => row.id,
    show: showKey,
  }),
);

const revoke = on(serviceAccountKeyRevoke, async ({ db, changed }, act, { params }) => {
  const written = await db.write(act, async (tx) => {
    const row = await revokeKey(tx, params.key_id, params.service_account_id);
    if (!row) return tx.abandon(new Fault('service_account_key_not_found', 'There is no such object.'));
    return tx.commit(showKey(row), {
      target: { type: 'service_account_key', id: row.id },
      change: { service_account_id: row.service_account_id },
      events: 'none',
    });
  });
  changed();
  return written;
});

export const keyRoutes = (parts: KeyParts): Mounted[] => [create, list, revoke].map((bind) => bind(parts));
