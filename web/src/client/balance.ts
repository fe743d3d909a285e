import { api } from './api.ts';
import { useAsk } from './ask.ts';
import { useMay, useSession } from './session.tsx';

/** The billing lane has a small budget, so the balance is fetched seldom. */
const everyMs = 120_000;

/** The balance of the organization, for people who may see it. The top bar and the page share one request. */
export function useBalance() {
  const organization_id = useSession().project?.organization_id ?? '';
  const mayKnow = useMay()('billing_balance_get');
  return useAsk(
    ['billing', 'balance', organization_id],
    (options) => api.billing.balanceGet({ organization_id }, options),
    { enabled: mayKnow && organization_id !== '', everyMs, freshMs: 60_000 },
  );
}
