import { Link } from '@tanstack/react-router';
import { useBalance } from '../client/balance.ts';
import { useNow } from '../parts/time.tsx';
import { balanceMark } from '../words/billing/balance.ts';

const tones = {
  calm: 'border border-edge bg-paper text-ink hover:border-line',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
} as const;

/** The balance and how long it lasts, in the colour of where it stands. It counts down between two answers of the server. */
export function BalanceMark() {
  const { data, dataUpdatedAt } = useBalance();
  const now = useNow();
  if (!data) return null;
  const { tone, text, more } = balanceMark(data, Math.max(0, now - dataUpdatedAt));
  return (
    <Link
      to="/billing"
      aria-label={`Billing: ${more ? `${text} ${more}` : text}`}
      className={`tabular shrink-0 rounded-full px-2.5 py-1 text-sm font-medium whitespace-nowrap ${tones[tone]}`}
    >
      {text}
      {more && <span className="font-normal max-md:hidden"> · {more}</span>}
    </Link>
  );
}
