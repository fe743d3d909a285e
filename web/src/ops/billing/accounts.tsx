import type { Adjustment, BillingAccount, CreditGrant } from '@gpuaas/sdk';
import { choices } from '@gpuaas/sdk/choices';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../client/api.ts';
import { useList } from '../../client/ask.ts';
import { useMay } from '../../client/session.tsx';
import { Button } from '../../parts/button.tsx';
import { Chip } from '../../parts/chip.tsx';
import { Filter, WordFilter } from '../../parts/filter.tsx';
import { NameCell } from '../../parts/name-cell.tsx';
import { Page } from '../../parts/page.tsx';
import { type Column, Rows } from '../../parts/rows.tsx';
import { Empty } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { accountStates } from '../../words/billing/balance.ts';
import { spellMoney } from '../../words/money.ts';
import { tenantName } from '../../words/tenants.ts';
import { AdjustmentDialog } from './adjustment-dialog.tsx';
import { CreditDialog } from './credit-dialog.tsx';

/** Every account with its balance, and a way to give credit. */
export function AccountsPage() {
  const search = useSearch({ strict: false }) as { q?: string; state?: string };
  const navigate = useNavigate();
  const may = useMay();
  const q = search.q?.trim();
  const state = choices.admin_billing_account_list.state.find((each) => each === search.state);
  const [chosen, setChosen] = useState<BillingAccount>();
  const [given, setGiven] = useState<{ readonly grant: CreditGrant; readonly to: string }>();
  const list = useList(
    ['accounts', q, state],
    (from, options) => api.adminBilling.accountList({ ...from, ...(q && { q }), ...(state && { state }) }, options),
    { everyMs: 60_000 },
  );
  const look = (next: { q: string | undefined; state: string | undefined }) =>
    void navigate({
      to: '/ops/accounts',
      replace: true,
      search: { ...(next.q && { q: next.q }), ...(next.state && { state: next.state }) },
    });
  const [corrected, setCorrected] = useState<BillingAccount>();
  const [made, setMade] = useState<Adjustment>();
  const columns = columnsFor(
    may('admin_billing_ledger_list'),
    may('admin_billing_grant_create') ? setChosen : undefined,
    may('admin_adjustment_create') ? setCorrected : undefined,
  );
  return (
    <Page
      title="Accounts"
      lead="What every organization has and was charged, before tax; newest organization first."
      actions={
        <>
          <Filter
            label="State"
            any="all"
            value={state}
            options={choices.admin_billing_account_list.state.map((each) => [each, accountStates[each].text] as const)}
            onChoose={(next) => look({ q, state: next })}
          />
          <WordFilter
            label="Find an account"
            placeholder="Name, slug or id"
            value={search.q}
            onChange={(next) => look({ q: next, state })}
          />
        </>
      }
      shown={{ operation: 'admin_billing_account_list', input: { q, state, limit: 50 } }}
    >
      {given && (
        <p role="status" className="rounded-lg bg-ok-soft px-4 py-3 text-ok">
          <bdi>{given.to}</bdi> was given {spellMoney(given.grant.amount)}. Its balance is{' '}
          {spellMoney(given.grant.balance)}.
        </p>
      )}
      <Rows
        label="Accounts"
        list={list}
        keyOf={({ organization_id }) => organization_id}
        columns={columns}
        empty={<Empty icon="wallet" title={q || state ? 'No accounts match' : 'No accounts yet'} />}
      />
      {made && (
        <p role="status" className="rounded-lg bg-ok-soft px-4 py-3 text-ok">
          {made.state === 'waiting'
            ? `The correction of ${spellMoney(made.amount)} waits for a second person, under Adjustments.`
            : `The correction of ${spellMoney(made.amount)} is in the ledger.`}
        </p>
      )}
      {corrected && (
        <AdjustmentDialog
          account={corrected}
          onClose={() => setCorrected(undefined)}
          onMade={(adjustment) => {
            setMade(adjustment);
            setCorrected(undefined);
          }}
        />
      )}
      {chosen && (
        <CreditDialog
          account={chosen}
          onClose={() => setChosen(undefined)}
          onGiven={(grant) => {
            setGiven({ grant, to: tenantName(chosen) });
            setChosen(undefined);
          }}
        />
      )}
    </Page>
  );
}

const columnsFor = (
  mayOpen: boolean,
  onGive: ((account: BillingAccount) => void) | undefined,
  onCorrect: ((account: BillingAccount) => void) | undefined,
): readonly Column<BillingAccount>[] => [
  {
    head: 'Organization',
    cell: (row) =>
      mayOpen ? (
        <NameCell to="/ops/accounts/$id" id={row.organization_id} name={tenantName(row)} also={row.slug} />
      ) : (
        <span>
          <bdi className="line-clamp-2 font-medium break-all">{tenantName(row)}</bdi>
          <span className="font-mono text-xs text-dim">{row.slug}</span>
        </span>
      ),
  },
  {
    head: 'Balance',
    end: true,
    cell: ({ balance }) => (
      <span className={`tabular whitespace-nowrap ${balance.amount_minor.startsWith('-') ? 'text-bad' : ''}`}>
        {spellMoney(balance)}
      </span>
    ),
  },
  {
    head: 'State',
    cell: ({ state, releases_at }) => (
      <span>
        <Chip tone={accountStates[state].tone}>{accountStates[state].text}</Chip>
        {releases_at && (
          <span className="block text-sm text-dim">
            released <Ago at={releases_at} />
          </span>
        )}
      </span>
    ),
  },
  {
    head: 'Charged in 30 days',
    end: true,
    cell: (row) => <span className="tabular whitespace-nowrap">{spellMoney(row.charged_30_days)}</span>,
  },
  { head: 'Entries', end: true, cell: (row) => <span className="tabular">{row.entries.toLocaleString('en')}</span> },
  ...(onGive
    ? [
        {
          head: '',
          end: true,
          cell: (row: BillingAccount) => (
            <span className="flex flex-wrap justify-end gap-2">
              <Button aria-label={`Give credit to ${tenantName(row)} (${row.slug})`} onClick={() => onGive(row)}>
                Give credit
              </Button>
              {onCorrect && (
                <Button
                  aria-label={`Correct the ledger of ${tenantName(row)} (${row.slug})`}
                  onClick={() => onCorrect(row)}
                >
                  Correct
                </Button>
              )}
            </span>
          ),
        },
      ]
    : []),
];
