import { hash } from 'node:crypto';
import { type StorageToken, storageTokenCreate, storageTokenList, storageTokenRevoke } from '@gpuaas/contract';
import { type Act, handlers, type Mounted } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import { readPage } from '../../kernel/page.ts';
import { secretBytes } from './facts.ts';
import type { StorageParts } from './parts.ts';
import {
  countTokens,
  findRunning,
  findToken,
  insertToken,
  listTokens,
  revokeToken,
  type TokenRow,
} from './stores/tokens-store.ts';

const on = handlers<StorageParts>();

/** Every storage token begins with this, so that scanners of leaked secrets and our own redaction know it. */
export const storageTokenPrefix = 'gpuaas_storage_';

const showToken = (row: TokenRow): StorageToken => ({
  ...{ id: row.id, project_id: row.project_id, allocation_id: row.allocation_id, level: row.level },
  ...{ works: row.is_running && row.revoked_at === null, created_by: row.created_by },
  ...{ created_at: row.created_at.toISOString(), revoked_at: row.revoked_at?.toISOString() ?? null },
});

/** A token of one allocation would otherwise outlive it by tokens of another one. */
function whyNotHere(act: Act): Fault<'insufficient_permissions'> | undefined {
  if (act.credential?.kind === 'storage_token') {
    return new Fault('insufficient_permissions', 'A storage token makes and revokes no storage tokens.');
  }
  const scopes = act.credential?.scopes;
  return scopes && !scopes.has('storage:read')
    ? new Fault('insufficient_permissions', 'You cannot give away what you do not have: storage:read.')
    : undefined;
}

const create = on(storageTokenCreate, async ({ db, ids, policies, publicUrl }, act, { params, body }) => {
  const refused = whyNotHere(act);
  if (refused) return refused;
  return db.write(act, async (tx) => {
    const allocation = await findRunning(tx, params.allocation_id);
    if (!allocation) return tx.abandon(new Fault('allocation_not_found', 'There is no such object.'));
    if (!allocation.is_running) {
      return tx.abandon(
        new Fault('allocation_not_active', 'The allocation is ending or has ended: launch another one.'),
      );
    }
    const most = policies.number('storage.tokens_per_allocation_max', act);
    if ((await countTokens(tx, params.allocation_id)) >= most) {
      const words = `An allocation may have ${most} storage tokens: revoke one.`;
      return tx.abandon(new Fault('storage_limit_reached', words));
    }
    const [id, token] = [ids.next(), `${storageTokenPrefix}${ids.secret(secretBytes)}`];
    await insertToken(tx, {
      ...{ id, organization_id: act.organizationId, project_id: allocation.project_id },
      ...{ allocation_id: params.allocation_id, level: body.level, created_by: act.actorId },
      digest: hash('sha256', token, 'hex'),
    });
    const row = await findToken(tx, id, params.allocation_id);
    if (!row) throw new Error('a storage token was not stored');
    return tx.commit(
      { ...showToken(row), token, base_url: publicUrl },
      {
        target: { type: 'storage_token', id },
        change: { allocation_id: row.allocation_id, level: row.level },
        events: 'none',
      },
    );
  });
});

const list = on(storageTokenList, ({ db }, who, { params, query }) =>
  readPage({
    name: 'storage-tokens',
    query,
    read: (before, limit) => db.read(who, (tx) => listTokens(tx, params.allocation_id, before, limit)),
    keyOf: ({ id }) => id,
    show: showToken,
  }),
);

const revoke = on(storageTokenRevoke, async ({ db }, act, { params }) => {
  const refused = whyNotHere(act);
  if (refused) return refused;
  return db.write(act, async (tx) => {
    const row = await findToken(tx, params.storage_token_id, params.allocation_id);
    if (!row || row.revoked_at !== null) {
      return tx.abandon(new Fault('storage_token_not_found', 'The allocation has no such storage token.'));
    }
    await revokeToken(tx, row.id);
    return tx.commit(showToken((await findToken(tx, row.id, params.allocation_id)) ?? row), {
      target: { type: 'storage_token', id: row.id },
      change: { allocation_id: row.allocation_id, level: row.level },
      events: 'none',
    });
  });
});

export const tokenRoutes = (parts: StorageParts): Mounted[] => [create, list, revoke].map((bind) => bind(parts));
