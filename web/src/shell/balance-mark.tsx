import { Link } from '@tanstack/react-router';
import { useBalance } from '../client/balance.ts';
import { balanceWarning } from '../words/billing/balance.ts';

const tones = { warn: 'bg-warn-soft text-warn', bad: 'bg-bad-soft text-bad' } as const;

/** Warns of a balance that is used up or ends within a day. */
export function BalanceMark() {
  const { data } = useBalance();
  const warning = data && balanceWarning(data);
  if (!warning) return null;
  return (
    <Link
      to="/billing"
      aria-label={`Billing: ${warning.text}`}
      className={`shrink-0 rounded-full px-2.5 py-1 text-sm font-medium whitespace-nowrap ${tones[warning.tone]}`}
    >
      {warning.text}
    </Link>
  );
}
