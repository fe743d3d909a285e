import type { PaymentMethod } from '@gpuaas/sdk';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../client/api.ts';
import { useAct, useAsk } from '../../client/ask.ts';
import { usePaymentOptions } from '../../client/payments.ts';
import { useMay } from '../../client/session.tsx';
import { Button } from '../../parts/button.tsx';
import { Chip } from '../../parts/chip.tsx';
import { Panel } from '../../parts/page.tsx';
import { Removal } from '../../parts/removal.tsx';
import { Empty, Loading, Problem } from '../../parts/states.tsx';
import { nameCard } from '../../words/billing/cards.ts';
import { AutoTopUpNote } from './auto-top-up.tsx';

/** Requests about money are counted closely. */
const whileReturnedMs = 5_000;

/** The cards that the payment provider keeps, and the automatic top-ups that charge one of them. */
export function CardsPanel({ organizationId, currency }: { organizationId: string; currency: string | undefined }) {
  const organization_id = organizationId;
  const may = useMay();
  const options = usePaymentOptions().data;
  const { card: returned } = useSearch({ strict: false }) as { card?: string };
  const [removed, setRemoved] = useState<PaymentMethod>();
  const cards = useAsk(
    ['billing', 'cards', organization_id],
    (how) => api.payments.methodList({ organization_id }, how),
    {
      enabled: may('payment_method_list') && options !== undefined && options.provider !== 'disabled',
      // The provider may say a little after the browser came back that the card is saved.
      ...(returned !== undefined && { everyMs: whileReturnedMs }),
    },
  );
  const add = useAct('card add', (_: 'card', how) => api.payments.methodAdd({ organization_id }, how), {
    done: ({ url }) => location.assign(url),
  });
  const choose = useAct(
    'card default',
    (method_id: string, how) => api.payments.methodSetDefault({ organization_id, method_id }, how),
    { stale: ['billing'] },
  );
  if (!options || options.provider === 'disabled') return null;
  const rows = cards.data?.data;
  return (
    <Panel
      title="Cards and automatic top-up"
      aside={
        may('payment_method_add') && (
          <Button icon="plus" busy={add.isPending} onClick={() => add.mutate('card')}>
            Add a card
          </Button>
        )
      }
    >
      {add.error && <Problem error={add.error} />}
      {choose.error && <Problem error={choose.error} />}
      {cards.error && !rows ? (
        <Problem error={cards.error} again={() => void cards.refetch()} />
      ) : !rows ? (
        <Loading rows={2} label="Loading the cards" />
      ) : rows.length === 0 ? (
        <Empty icon="wallet" title="No card is saved">
          <p>
            A saved card can top up the balance before it is used up. The payment provider keeps its number, not we.
          </p>
        </Empty>
      ) : (
        <div className="grid gap-4">
          <ul className="grid grid-cols-1 gap-2" aria-label="Cards">
            {rows.map((card) => (
              <li key={card.id} className="flex flex-wrap items-center gap-2 rounded-lg border border-edge px-3 py-2">
                <span className="min-w-0 grow">
                  <span className="font-medium">{nameCard(card)}</span>
                  <span className="block text-sm text-dim">valid to {card.expires}</span>
                </span>
                {card.is_default && <Chip tone="ok">Charged by top-ups</Chip>}
                {!card.is_default && may('payment_method_set_default') && (
                  <Button
                    look="quiet"
                    aria-label={`Charge ${nameCard(card)}`}
                    busy={choose.isPending && choose.variables === card.id}
                    onClick={() => choose.mutate(card.id)}
                  >
                    Charge this one
                  </Button>
                )}
                {may('payment_method_remove') && (
                  <Button look="quiet" aria-label={`Remove ${nameCard(card)}`} onClick={() => setRemoved(card)}>
                    Remove
                  </Button>
                )}
              </li>
            ))}
          </ul>
          {currency && may('auto_top_up_get') && <AutoTopUpNote organizationId={organization_id} currency={currency} />}
        </div>
      )}
      <Removal
        it={removed}
        name="card remove"
        title={(card) => `Remove ${nameCard(card)}?`}
        verb="Remove"
        act={({ id }, how) => api.payments.methodRemove({ organization_id, method_id: id }, how)}
        stale={['billing']}
        onClose={() => setRemoved(undefined)}
      >
        <p>The payment provider forgets the card. Payments that were made with it stay.</p>
      </Removal>
    </Panel>
  );
}
