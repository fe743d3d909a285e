import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { letGo } from '../../client/let-go.ts';
import { usePayment } from '../../client/payments.ts';
import { tellPayment } from '../../words/billing/payments.ts';

const tones = { open: 'bg-warn-soft text-warn', paid: 'bg-ok-soft text-ok' } as const;

/** What became of the payment that the browser has come back from. Once it is paid, everything about money is asked for anew. */
export function PaymentNote({ paymentId }: { paymentId: string }) {
  const [isSettled, setSettled] = useState(false);
  const client = useQueryClient();
  const { data } = usePayment(paymentId, isSettled);
  const state = data?.state;
  useEffect(() => {
    if (state === undefined || state === 'open') return;
    setSettled(true);
    for (const word of ['billing', 'balance']) letGo(client.invalidateQueries({ queryKey: [word] }));
  }, [client, state]);
  if (!data) return null;
  const tone = data.state === 'paid' ? tones.paid : tones.open;
  return (
    <p role="status" className={`rounded-lg px-4 py-3 ${tone}`}>
      {tellPayment(data)}
    </p>
  );
}
