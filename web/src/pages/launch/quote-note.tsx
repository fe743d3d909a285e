import { GpuaasError, type Quote } from '@gpuaas/sdk';
import type { ReactNode } from 'react';
import { useMay } from '../../client/session.tsx';
import { ButtonLink } from '../../parts/button.tsx';
import { LevelBar } from '../../parts/charts/level-bar.tsx';
import { Problem } from '../../parts/states.tsx';
import { useNow } from '../../parts/time.tsx';
import { percentOf } from '../../words/billing/budgets.ts';
import { countDown, remedyFor, tellBudget, tellQuote } from '../../words/billing/quote.ts';

/** What the launch costs and does to balance, runway and budgets, at a price that is locked for a while. */
export function QuoteNote({ quote, isOld }: { quote: Quote; isOld: boolean }) {
  return (
    <div className={`grid gap-3 ${isOld ? 'opacity-60' : ''}`} aria-busy={isOld}>
      <ul className="grid gap-1 text-dim" aria-label="What it costs">
        {tellQuote(quote).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      {quote.budgets.map((budget) => (
        <QuotedBudget key={budget.id} budget={budget} />
      ))}
      <Locked until={quote.expires_at} />
    </div>
  );
}

function QuotedBudget({ budget }: { budget: Quote['budgets'][number] }) {
  const { name, counted, soft, hard, blocks } = budget;
  const limit = hard ?? soft;
  const isPast = soft !== null && BigInt(counted.amount_minor) >= BigInt(soft.amount_minor);
  return (
    <div className="grid gap-1 text-sm">
      <p className={blocks ? 'text-bad' : isPast ? 'text-warn' : 'text-dim'}>
        Budget <bdi className="font-medium">{name}</bdi>: {tellBudget(budget)}
      </p>
      {limit && (
        <LevelBar
          label={`Budget ${name}`}
          percent={percentOf(counted, limit)}
          mark={soft && hard ? percentOf(soft, hard) : undefined}
          tone={blocks ? 'bad' : isPast ? 'warn' : 'ok'}
        />
      )}
    </div>
  );
}

function Locked({ until }: { until: string }) {
  const left = countDown(until, useNow());
  return (
    <p className="text-sm text-dim">
      {left ? (
        <>
          This price is yours for <span className="tabular">{left}</span>.
        </>
      ) : (
        'Asking for the price again.'
      )}
    </p>
  );
}

/** Why a launch would be or was refused for its money, and what to do. */
export function MoneyRefusal({ children, code }: { children: ReactNode; code: string }) {
  const may = useMay();
  const remedy = remedyFor(code);
  const mayPay = may('payment_session_create');
  return (
    <div className="grid gap-2">
      {children}
      {remedy === 'top up' &&
        (mayPay ? (
          <ButtonLink icon="plus" to="/billing" search={{ pay: 'now' }}>
            Top up
          </ButtonLink>
        ) : (
          <p className="text-sm text-dim">Ask an owner, an administrator or finance of your organization to top up.</p>
        ))}
      {remedy === 'budgets' &&
        (may('budget_list') ? (
          <ButtonLink icon="wallet" to="/billing" hash="budgets">
            See the budgets
          </ButtonLink>
        ) : (
          <p className="text-sm text-dim">Ask an owner or an administrator of your organization to raise the budget.</p>
        ))}
    </div>
  );
}

export const LaunchProblem = ({ error }: { error: Error }) => (
  <MoneyRefusal code={error instanceof GpuaasError ? error.code : ''}>
    <Problem error={error} />
  </MoneyRefusal>
);

export const NotAffordable = ({ quote }: { quote: Quote }) => (
  <MoneyRefusal code={quote.budgets.some(({ blocks }) => blocks) ? 'budget_exceeded' : 'insufficient_balance'}>
    <p role="status" className="rounded-lg bg-warn-soft px-3 py-2 text-warn">
      {quote.why_not ?? 'The balance or a budget does not allow this launch.'}
    </p>
  </MoneyRefusal>
);
