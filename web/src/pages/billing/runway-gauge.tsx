import type { BillingBalance } from '@gpuaas/sdk';
import { LevelBar } from '../../parts/charts/level-bar.tsx';
import { Ago } from '../../parts/time.tsx';
import { accountStates, gaugeOf, ladderOf } from '../../words/billing/balance.ts';
import { spellMoment } from '../../words/time.ts';

const dots = {
  past: 'bg-warn',
  next: 'bg-accent ring-4 ring-accent-soft',
  ahead: 'border-2 border-line bg-paper',
} as const;

/** How far the balance reaches, and what happens while it falls: what has happened, what is next, and when. */
export function RunwayGauge({ it }: { it: BillingBalance }) {
  if (it.steps.length === 0) return null;
  const ladder = ladderOf(it);
  const next = ladder.find(({ is }) => is === 'next');
  return (
    <div className="mt-2 grid gap-3">
      <LevelBar label="Runway" percent={gaugeOf(it)} tone={accountStates[it.state].tone} />
      {next?.at && (
        <p>
          <span className="font-medium">Next:</span> {next.text.charAt(0).toLowerCase() + next.text.slice(1)}{' '}
          <Ago at={next.at} />, if nothing changes.
        </p>
      )}
      <ol className="grid gap-x-6 gap-y-2 sm:grid-cols-2 lg:grid-cols-3" aria-label="Steps of a falling balance">
        {ladder.map((step) => (
          <li key={step.key} className="flex items-baseline gap-3">
            <span
              aria-hidden="true"
              className={`mt-1 size-2.5 shrink-0 translate-y-px rounded-full ${dots[step.is]}`}
            />
            <span className={`min-w-0 ${step.is === 'ahead' ? 'text-dim' : ''}`}>
              {step.text}
              <span className="block text-sm text-dim">
                {step.lasts}
                {step.is === 'past' && ' · has happened'}
                {step.at && ` · ${spellMoment(step.at)}`}
              </span>
            </span>
          </li>
        ))}
      </ol>
      <p className="text-sm text-dim">A top-up undoes each step.</p>
    </div>
  );
}
