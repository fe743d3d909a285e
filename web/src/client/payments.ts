import { api } from './api.ts';
import { useAsk } from './ask.ts';
import { useMay, useSession } from './session.tsx';

/** How the organization can pay; it hardly ever changes. */
export function usePaymentOptions() {
  const organization_id = useSession().project?.organization_id ?? '';
  const mayPay = useMay()('payment_session_create');
  return useAsk(
    ['payment-options', organization_id],
    (options) => api.payments.optionsGet({ organization_id }, options),
    { enabled: mayPay && organization_id !== '', freshMs: 600_000 },
  );
}

/** Requests about money are counted closely: twelve a minute leave room for the rest of the page. */
const whileOpenMs = 5_000;

/** One payment, asked for again until it is settled. */
export function usePayment(session_id: string | undefined, isSettled: boolean) {
  const organization_id = useSession().project?.organization_id ?? '';
  return useAsk(
    ['billing', 'payment', organization_id, session_id],
    (options) => api.payments.sessionGet({ organization_id, session_id: session_id ?? '' }, options),
    {
      enabled: session_id !== undefined && organization_id !== '',
      ...(!isSettled && { everyMs: whileOpenMs }),
    },
  );
}
