import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../client/api.ts';
import { useAct } from '../../client/ask.ts';
import { useBalance } from '../../client/balance.ts';
import { usePaymentOptions } from '../../client/payments.ts';
import { useMay } from '../../client/session.tsx';
import { Button } from '../../parts/button.tsx';
import { Chip } from '../../parts/chip.tsx';
import { Panel } from '../../parts/page.tsx';
import { Loading, Problem } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { accountStates, hasHeld, tellEnding, tellEnforced, tellHeld, tellRunway } from '../../words/billing/balance.ts';
import { tellCheck } from '../../words/billing/usage.ts';
import { spellMoney } from '../../words/money.ts';
import { RunwayGauge } from './runway-gauge.tsx';
import { TopUpDialog } from './top-up-dialog.tsx';

const tones = { ok: '', warn: 'font-medium text-warn', bad: 'font-medium text-bad' } as const;

/** The balance, how long it lasts, what depends on it, and a check of the ledger. */
export function BalancePanel({ organizationId }: { organizationId: string }) {
  const mayVerify = useMay()('billing_ledger_verify');
  const balance = useBalance();
  const verify = useAct('ledger verify', (organization_id: string, options) =>
    api.billing.ledgerVerify({ organization_id }, options),
  );
  const it = balance.data;
  return (
    <Panel
      title="Balance"
      aside={
        <span className="flex flex-wrap gap-2">
          {mayVerify && (
            <Button icon="check" busy={verify.isPending} onClick={() => verify.mutate(organizationId)}>
              Verify the chain
            </Button>
          )}
          <TopUp organizationId={organizationId} />
        </span>
      }
    >
      {balance.error && !it ? (
        <Problem error={balance.error} again={() => void balance.refetch()} />
      ) : !it ? (
        <Loading rows={2} label="Loading the balance" />
      ) : (
        <div className="grid gap-1">
          <p className="flex flex-wrap items-center gap-3">
            <span className="tabular text-3xl font-semibold tracking-tight">{spellMoney(it.balance)}</span>
            {hasHeld(it) && <span className="text-dim">available</span>}
            {it.enforced && <Chip tone={accountStates[it.state].tone}>{accountStates[it.state].text}</Chip>}
          </p>
          <p className={tones[accountStates[it.state].tone]}>{tellRunway(it)}</p>
          {it.releases_at && (
            <p role="status" className="font-medium text-bad">
              {tellEnding(it)}
            </p>
          )}
          <p className="text-dim">{tellEnforced(it)}</p>
          {hasHeld(it) && <p className="text-dim">{tellHeld(it)}</p>}
          <p className="text-sm text-dim">
            {it.charged_to ? (
              <>
                Usage is charged up to <Ago at={it.charged_to} />.
              </>
            ) : (
              'No usage was charged yet.'
            )}
          </p>
          <RunwayGauge it={it} />
        </div>
      )}
      <div className="mt-3 empty:hidden">
        {verify.error && <Problem error={verify.error} />}
        {verify.data && (
          <p
            role="status"
            className={`rounded-lg px-4 py-3 ${verify.data.ok ? 'bg-ok-soft text-ok' : 'bg-bad-soft text-bad'}`}
          >
            {tellCheck(verify.data)}
          </p>
        )}
      </div>
    </Panel>
  );
}

/** A way to pay, where this installation takes payments and the person may. */
function TopUp({ organizationId }: { organizationId: string }) {
  // A refused launch leads here with the dialog open.
  const { pay } = useSearch({ strict: false }) as { pay?: string };
  const [isOpen, setOpen] = useState(pay === 'now');
  const options = usePaymentOptions().data;
  if (!options || options.provider === 'disabled') return null;
  return (
    <>
      <Button look="primary" icon="plus" onClick={() => setOpen(true)}>
        Top up
      </Button>
      {isOpen && <TopUpDialog organizationId={organizationId} options={options} onClose={() => setOpen(false)} />}
    </>
  );
}
