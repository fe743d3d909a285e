import type { ReactNode } from 'react';
import { useBalance } from '../../client/balance.ts';
import { Problem } from '../../parts/states.tsx';
import { tellRunway } from '../../words/billing/balance.ts';
import { spellMoney } from '../../words/money.ts';
import { useForecast } from './forecast.ts';

/** Balance, rate, month and forecast in one line. */
export function Strip({ organizationId }: { organizationId: string }) {
  const balance = useBalance();
  const forecast = useForecast(organizationId);
  if (forecast.error && !forecast.data) {
    return <Problem error={forecast.error} again={() => void forecast.refetch()} />;
  }
  const [it, ahead] = [balance.data, forecast.data];
  return (
    <dl className="panel grid grid-cols-1 gap-4 p-4 sm:grid-cols-2 lg:grid-cols-4">
      <Figure name="Balance" value={it && spellMoney(it.balance)} note={it && tellRunway(it)} />
      <Figure name="Rate now" value={it && `${spellMoney(it.per_hour)}/h`} note="Everything that is active" />
      <Figure name="This month" value={ahead && spellMoney(ahead.month_to_date)} note="Charged so far" />
      <Figure
        name="Forecast"
        value={ahead && (ahead.expected ? `≈ ${spellMoney(ahead.expected)}` : 'unavailable')}
        note={
          ahead &&
          (ahead.low && ahead.high ? (
            <details>
              <summary className="cursor-pointer">
                {spellMoney(ahead.low)} to {spellMoney(ahead.high)} at the end of the month
              </summary>
              <p className="mt-1">{ahead.method}</p>
            </details>
          ) : (
            'It needs three whole days of usage.'
          ))
        }
      />
    </dl>
  );
}

function Figure({ name, value, note }: { name: string; value: string | undefined; note: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-sm text-dim">{name}</dt>
      <dd className="tabular text-xl font-semibold">{value ?? '…'}</dd>
      <dd className="text-sm text-dim">{note}</dd>
    </div>
  );
}
