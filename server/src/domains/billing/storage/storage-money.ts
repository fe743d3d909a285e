import type { ReadTx } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Policies } from '../../policy/index.ts';
import type { StorageMoney } from '../../storage/index.ts';
import { findStanding } from '../ladder/store.ts';
import { findCurrentPrice } from './prices-store.ts';

/**
 * Billing's part of storage. It decides by the balance of this moment, as launches do: a payment opens storage at once, and no
 * worker has to come round first.
 */
export function makeStorageMoney({ policies }: { readonly policies: Policies }): StorageMoney {
  const isSpent = async (tx: ReadTx, organizationId: string): Promise<boolean> => {
    if (policies.value('billing.enforce_balance', { organizationId }) !== true) return false;
    const standing = await findStanding(tx, organizationId);
    if (!standing || standing.spendable > 0n) return false;
    // An account that was never used is not spent, but storage that costs something is paid ahead.
    return standing.used || ((await findCurrentPrice(tx, organizationId))?.rate_micro ?? 0n) > 0n;
  };
  return {
    isReadOnly: isSpent,
    async whyNothingMore(tx, { organizationId }) {
      if (!(await isSpent(tx, organizationId))) return undefined;
      return new Fault(
        'storage_read_only',
        'The balance of the organization is spent, so nothing more is stored. Files stay: they can be downloaded and deleted. Top up (Billing in the console, or gpuaas billing top-up), or ask an owner, an administrator or finance.',
      );
    },
    async price(tx, organizationId) {
      const found = await findCurrentPrice(tx, organizationId);
      return found && found.rate_micro > 0n
        ? { currency: found.currency, rate_micro: found.rate_micro.toString() }
        : null;
    },
  };
}
