import type { ReadTx, WriteTx } from '../../../kernel/act.ts';
import { linksAtOnce } from '../facts.ts';
import { burn, least, type OpenGrant } from './burn.ts';
import { keepCounted, listLinks, listOpen } from './store.ts';

/** What is left of an account's grants at the end of its ledger. Also those that were used up since they were last counted. */
export async function readCredit(tx: ReadTx, organizationId: string): Promise<readonly OpenGrant[]> {
  let grants = await listOpen(tx, organizationId);
  while (grants.length > 0) {
    const [after = 0n] = grants.map(({ countedTo }) => countedTo).toSorted((a, b) => (a < b ? -1 : 1));
    const links = await listLinks(tx, organizationId, after, linksAtOnce);
    grants = burn(grants, links);
    if (links.length < linksAtOnce) break;
  }
  return grants;
}

/** Keeps what is left, for a caller that holds the account. */
export async function countCredit(tx: WriteTx, organizationId: string): Promise<readonly OpenGrant[]> {
  const grants = await readCredit(tx, organizationId);
  if (grants.length > 0) await keepCounted(tx, organizationId, grants);
  return grants;
}

/**
 * What of the balance was paid, and can go back to a payer: grants never do. What is held was taken from grants first, as usage will
 * take it.
 */
export async function readRefundable(
  tx: ReadTx,
  account: { readonly organization_id: string; readonly balance_minor: bigint; readonly held_minor: bigint },
): Promise<bigint> {
  const granted = (await readCredit(tx, account.organization_id)).reduce((sum, { left }) => sum + left, 0n);
  const paid = account.balance_minor + account.held_minor - granted;
  return least(paid, account.balance_minor);
}
