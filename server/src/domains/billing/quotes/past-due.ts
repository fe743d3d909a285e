import { showMoney } from '@gpuaas/contract';
import type { InOrganization, ReadTx, Viewer } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Policies } from '../../policy/index.ts';
import { money } from '../money.ts';
import { findPastDue } from './past-due-store.ts';
import { seesAccount } from './sees-account.ts';

/** Why an invoice that was not paid refuses a launch. Which one it is, is for those who see the account. */
export async function pastDueFault(
  tx: ReadTx,
  policies: Policies,
  who: Viewer & InOrganization,
): Promise<Fault<'invoice_past_due'> | undefined> {
  const { organizationId } = who;
  if (policies.value('billing.past_due_blocks_launches', { organizationId }) !== true) return undefined;
  const days = policies.number('billing.past_due_grace_days', { organizationId });
  const invoice = await findPastDue(tx, organizationId, days);
  if (!invoice) return undefined;
  if (!seesAccount(who)) {
    const text = 'An invoice of the organization is past due. Ask an owner, an administrator or finance.';
    return new Fault('invoice_past_due', text);
  }
  const { number, total_minor: total, currency, due_at } = invoice;
  const due = due_at.toISOString();
  return new Fault(
    'invoice_past_due',
    `The invoice ${number} of ${showMoney(total, currency)} was due at ${due}. Launches wait until it is paid; what runs goes on.`,
    { invoice: number, total: money(total, currency), due_at: due },
  );
}
