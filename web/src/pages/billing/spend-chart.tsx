import type { UsageReport } from '@gpuaas/sdk';
import { Panel } from '../../parts/page.tsx';
import { Empty, Loading, Problem } from '../../parts/states.tsx';
import { barsOf, type DayBar, spellDay } from '../../words/billing/usage.ts';
import { spellMoney } from '../../words/money.ts';

/** The usage report, as the pages keep it. */
export interface UsageAnswer {
  readonly data: UsageReport | undefined;
  readonly error: Error | null;
  refetch(): unknown;
}

/** Spend by day: a bar for each day. The table beside it has the figures. */
export function SpendChart({ usage }: { usage: UsageAnswer }) {
  const it = usage.data;
  return (
    <Panel
      title="Spend by day"
      aside={it && <span className="tabular text-sm text-dim">{spellMoney(it.total)} in 30 days</span>}
    >
      {usage.error && !it ? (
        <Problem error={usage.error} again={() => void usage.refetch()} />
      ) : !it ? (
        <Loading rows={4} label="Loading the spend" />
      ) : it.rows.length === 0 ? (
        <Empty icon="wallet" title="Nothing was charged in the last 30 days">
          <p>GPU time is charged from the moment its host has verified that it works until it is released.</p>
        </Empty>
      ) : (
        <Bars bars={barsOf(it)} total={spellMoney(it.total)} />
      )}
    </Panel>
  );
}

const height = 1_000;
const step = 100;
const gap = 20;
/** A day without usage has a line, so that it is visible. */
const least = 8;

function Bars({ bars, total }: { bars: readonly DayBar[]; total: string }) {
  const first = bars.at(0)?.day ?? '';
  const last = bars.at(-1)?.day ?? '';
  const dearest = bars.find(({ share }) => share === height);
  return (
    <div className="grid gap-1">
      <p className="text-sm text-dim">
        {dearest && (
          <>
            Most: <span className="tabular">{spellMoney(dearest.amount)}</span> on {spellDay(dearest.day)}
          </>
        )}
      </p>
      <svg
        role="img"
        aria-label={`Spend by day from ${spellDay(first)} to ${spellDay(last)}, ${total} in all`}
        className="h-36 w-full border-b border-edge"
        viewBox={`0 0 ${bars.length * step} ${height}`}
        preserveAspectRatio="none"
      >
        {bars.map(({ day, amount, share }, index) => {
          const tall = Math.max(share, least);
          return (
            <rect
              key={day}
              x={index * step + gap / 2}
              y={height - tall}
              width={step - gap}
              height={tall}
              className={share > 0 ? 'fill-accent' : 'fill-edge'}
            >
              <title>{`${spellDay(day)}: ${spellMoney(amount)}`}</title>
            </rect>
          );
        })}
      </svg>
      <p className="flex justify-between text-sm text-dim">
        <span>{spellDay(first)}</span>
        <span>{spellDay(last)}</span>
      </p>
    </div>
  );
}
