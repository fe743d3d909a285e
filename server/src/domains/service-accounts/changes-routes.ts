import { serviceAccountUpdate } from '@gpuaas/contract';
import { type Act, handlers, type WriteTx } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import { type AccountParts, absent } from './accounts-routes.ts';
import { advanceAccount } from './machine.ts';
import { grantScopes, type ScopeGrant } from './scope-grant.ts';
import { type AccountRow, changeAccount, findAccount, lockAccount, projectsExist, showAccount } from './store.ts';

type Wanted = Parameters<typeof changeAccount>[2] & {
  readonly state?: 'active' | 'disabled';
  readonly version?: number;
};

/**
 * Whether the caller may change an account like this. Scopes that it has already may stay. A change that lets the account
 * act in more places, or act again, grants all of its scopes, so the caller must hold all of them.
 */
async function allowed(
  tx: WriteTx,
  act: Act,
  account: AccountRow,
  wanted: Wanted,
): Promise<ScopeGrant | Fault<'insufficient_permissions' | 'service_account_pinned' | 'project_not_found'>> {
  const scopes = wanted.scopes ?? account.scopes;
  const isWider = wanted.project_ids !== undefined || (wanted.state === 'active' && account.state !== 'active');
  const may = grantScopes(act, isWider ? scopes : scopes.filter((scope) => !account.scopes.includes(scope)));
  if (may instanceof Fault || !wanted.project_ids) return may;
  if (account.scope === 'project') {
    return new Fault('service_account_pinned', 'This account is pinned to its project: make one of the organization.');
  }
  return (await projectsExist(tx, account.organization_id, wanted.project_ids))
    ? may
    : new Fault('project_not_found', 'There is no such object.');
}

/** What is another one now, as pairs of before and after. */
const difference = (before: AccountRow, after: AccountRow): object =>
  Object.fromEntries(
    (['name', 'description', 'scopes', 'project_ids', 'state'] as const)
      .filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]))
      .map((field) => [field, [before[field], after[field]]]),
  );

export const update = handlers<AccountParts>()(
  serviceAccountUpdate,
  async ({ db, region, changed }, act, { params, body: wanted }) => {
    const id = params.service_account_id;
    const written = await db.write(act, async (tx) => {
      const before = await holdAccount(tx, id, wanted.version);
      if (before instanceof Fault) return tx.abandon(before);
      const may = await allowed(tx, act, before, wanted);
      if (may instanceof Fault) return tx.abandon(may);
      if (wanted.state !== undefined && wanted.state !== before.state) {
        const moved = await advanceAccount(tx, id, wanted.state === 'active' ? 'enable' : 'disable');
        if (moved instanceof Fault) return tx.abandon(moved);
      }
      await changeAccount(tx, before, wanted, may);
      const after = await findAccount(tx, id);
      if (!after) return tx.abandon(absent());
      return tx.commit(showAccount(region, after), {
        target: { type: 'service_account', id },
        change: difference(before, after),
        events: 'none',
      });
    });
    changed();
    return written;
  },
);

/** The account as it is, with nobody else changing it, if it is the one that the caller saw. */
async function holdAccount(tx: WriteTx, id: string, seen: number | undefined) {
  await tx.rows(lockAccount, [id]);
  const account = await findAccount(tx, id);
  if (!account) return absent();
  if (account.state === 'deleted') {
    return new Fault('illegal_transition', 'It is deleted, which does not allow this.', { state: 'deleted' });
  }
  const version = Number(account.version);
  if (seen === undefined || seen === version) return account;
  return new Fault(
    'version_conflict',
    `It was changed in the meantime: you saw version ${seen}, it is at ${version}.`,
    { version },
  );
}
