import { api } from './api.ts';
import { useAsk } from './ask.ts';
import { useMay, useSession } from './session.tsx';

/** Requests about money are counted closely, so it is asked for seldom. */
const everyMs = 120_000;

/** What the organization has, for those who may know. The top bar and the page ask for it together. */
export function useBalance() {
  const organization_id = useSession().project?.organization_id ?? '';
  const mayKnow = useMay()('billing_balance_get');
  return useAsk(
    ['billing', 'balance', organization_id],
    (options) => api.billing.balanceGet({ organization_id }, options),
    { enabled: mayKnow && organization_id !== '', everyMs, freshMs: 60_000 },
  );
}
