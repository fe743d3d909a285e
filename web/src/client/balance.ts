import { api } from './api.ts';
import { useAsk } from './ask.ts';
import { useMay, useSession } from './session.tsx';

/** Events say when it changed for another reason than usage; usage changes it slowly, and the lane has a small budget. */
const everyMs = 120_000;

/** The balance of the organization, for people who may see it. The top bar and the page share one request. */
export function useBalance() {
  const organization_id = useSession().project?.organization_id ?? '';
  const mayKnow = useMay()('billing_balance_get');
  return useAsk(['balance', organization_id], (options) => api.billing.balanceGet({ organization_id }, options), {
    enabled: mayKnow && organization_id !== '',
    everyMs,
    freshMs: 60_000,
  });
}

/** What was released because the balance was used up; asked for once in a while, and after news about money. */
export function useLastRelease() {
  const organization_id = useSession().project?.organization_id ?? '';
  const mayKnow = useMay()('billing_last_release_get');
  return useAsk(
    ['billing', 'last-release', organization_id],
    (options) => api.billing.lastReleaseGet({ organization_id }, options),
    { enabled: mayKnow && organization_id !== '', freshMs: 600_000 },
  );
}
