import type { Adjustment, LedgerLine } from '@gpuaas/sdk';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../client/api.ts';
import { useAsk, useList } from '../../client/ask.ts';
import { useMay } from '../../client/session.tsx';
import { ledgerColumns } from '../../pages/billing/ledger-table.tsx';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { Page } from '../../parts/page.tsx';
import { type Column, Rows } from '../../parts/rows.tsx';
import { Empty } from '../../parts/states.tsx';
import { tellSubject } from '../../words/billing/usage.ts';
import { spellMoney } from '../../words/money.ts';
import { tenantName } from '../../words/tenants.ts';
import { AdjustmentDialog } from './adjustment-dialog.tsx';

/** The ledger of one organization, for finance: what it was charged and given, and a way to correct a line. */
export function AccountPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const mayCorrect = useMay()('admin_adjustment_create');
  const account = useAsk(['accounts', 'one', id], (options) => api.adminBilling.accountList({ q: id }, options)).data
    ?.data[0];
  const list = useList(
    ['accounts', 'ledger', id],
    (from, options) => api.adminBilling.ledgerList({ organization_id: id, ...from }, options),
    { limit: 50 },
  );
  const [corrected, setCorrected] = useState<LedgerLine>();
  const [made, setMade] = useState<Adjustment>();
  const correct: Column<LedgerLine> = {
    head: '',
    end: true,
    // Payments are refunded, and corrections are not corrected again.
    cell: (line) =>
      (line.kind === 'usage' || line.kind === 'grant') && (
        <Button aria-label={`Correct ${tellSubject(line)} of ${line.day}`} onClick={() => setCorrected(line)}>
          Correct
        </Button>
      ),
  };
  return (
    <Page
      title={account ? `Ledger of ${tenantName(account)}` : 'Ledger'}
      lead={
        account
          ? `The balance is ${spellMoney(account.balance)}. One line for each allocation and day, before tax; nothing is ever changed or removed.`
          : 'One line for each allocation and day, before tax; nothing is ever changed or removed.'
      }
      actions={
        <ButtonLink icon="wallet" to="/ops/accounts">
          All accounts
        </ButtonLink>
      }
      shown={{ operation: 'admin_billing_ledger_list', input: { organization_id: id, limit: 50 } }}
    >
      {made && (
        <p role="status" className="rounded-lg bg-ok-soft px-4 py-3 text-ok">
          {made.state === 'waiting'
            ? `The correction of ${spellMoney(made.amount)} waits for a second person, under Adjustments.`
            : `The correction of ${spellMoney(made.amount)} is in the ledger.`}
        </p>
      )}
      <Rows
        label="Ledger"
        list={list}
        keyOf={(line) => line.id}
        columns={[...ledgerColumns(), ...(mayCorrect && account ? [correct] : [])]}
        empty={
          <Empty icon="book" title="The ledger is empty">
            <p>Credit and usage appear here, newest day first.</p>
          </Empty>
        }
      />
      {corrected && account && (
        <AdjustmentDialog
          account={account}
          line={corrected.id}
          onClose={() => setCorrected(undefined)}
          onMade={(adjustment) => {
            setMade(adjustment);
            setCorrected(undefined);
          }}
        />
      )}
    </Page>
  );
}
