import type { Sku } from '@gpuaas/sdk';
import { useState } from 'react';
import { api } from '../client/api.ts';
import { useAct, useAsk, useList } from '../client/ask.ts';
import { Button } from '../parts/button.tsx';
import { StateChip } from '../parts/chip.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { Page } from '../parts/page.tsx';
import { Rows } from '../parts/rows.tsx';
import { Empty, Loading, Problem } from '../parts/states.tsx';
import { Ago } from '../parts/time.tsx';
import { minorOf, spellMoney } from '../words/money.ts';
import { spellMemory } from '../words/sizes.ts';

export function SkusPage() {
  const list = useList(['skus'], (from, options) => api.adminSkus.list(from, options));
  const [prices, setPrices] = useState<Sku>();
  const [going, setGoing] = useState<Sku>();
  const retire = useAct(
    'sku retire',
    ({ sku, reason }: { sku: string; reason: string }, options) => api.adminSkus.retire({ sku, reason }, options),
    { stale: ['skus', 'catalog'], done: () => setGoing(undefined) },
  );
  return (
    <Page
      title="SKUs and prices"
      lead="What is sold, in which sizes, and for how much. A price holds from a moment on; earlier ones stay as they were."
      shown={{ operation: 'admin_sku_list', input: { limit: 50 } }}
    >
      <Rows
        label="SKUs"
        list={list}
        keyOf={({ sku }) => sku}
        columns={[
          {
            head: 'SKU',
            cell: (sku) => (
              <span>
                <span className="block font-medium">{sku.display_name}</span>
                <code className="font-mono text-[13px] text-dim">{sku.sku}</code>
              </span>
            ),
          },
          { head: 'Shape', cell: (sku) => (sku.capacity_shape === 'gpu_slice' ? 'virtual machine' : 'whole host') },
          { head: 'Memory', cell: (sku) => spellMemory(sku.gpu_memory_mib) },
          { head: 'Sizes', cell: (sku) => sku.allowed_gpu_counts.join(', ') },
          { head: 'State', cell: (sku) => <StateChip state={sku.active ? 'active' : 'retired'} /> },
          {
            head: '',
            end: true,
            cell: (sku) => (
              <span className="flex flex-wrap justify-end gap-2">
                <Button onClick={() => setPrices(sku)}>Prices</Button>
                {sku.active && (
                  <Button look="danger" aria-label={`Retire ${sku.display_name}`} onClick={() => setGoing(sku)}>
                    Retire
                  </Button>
                )}
              </span>
            ),
          },
        ]}
        empty={<Empty icon="tag" title="Nothing is sold yet" />}
      />
      {prices && <Prices sku={prices} onClose={() => setPrices(undefined)} />}
      {going && (
        <Confirm
          open
          onClose={() => setGoing(undefined)}
          title={`Retire ${going.display_name}?`}
          verb="Retire"
          danger
          reason
          busy={retire.isPending}
          error={retire.error}
          onConfirm={(reason) => retire.mutate({ sku: going.sku, reason })}
        >
          <p>Nobody can rent it any more. What is rented stays rented.</p>
        </Confirm>
      )}
    </Page>
  );
}

function Prices({ sku, onClose }: { sku: Sku; onClose(): void }) {
  const prices = useAsk(['skus', sku.sku, 'prices'], (options) =>
    api.adminSkus.priceList({ sku: sku.sku, limit: 50 }, options),
  );
  const [amount, setAmount] = useState('');
  const [reason, setReason] = useState('');
  const currency = prices.data?.data[0]?.unit_price.currency ?? 'USD';
  const minor = minorOf(amount, currency);
  const add = useAct(
    'price add',
    (input: { amount_minor: string; reason: string }, options) =>
      api.adminSkus.priceAdd(
        {
          sku: sku.sku,
          unit_price: { amount_minor: input.amount_minor, currency },
          ...(input.reason && { reason: input.reason }),
        },
        options,
      ),
    { stale: ['skus', 'catalog'], done: () => setAmount('') },
  );
  return (
    <Dialog open onClose={onClose} wide title={`Prices of ${sku.display_name}`}>
      {prices.error ? (
        <Problem error={prices.error} />
      ) : !prices.data ? (
        <Loading />
      ) : (
        <ul className="mb-5 grid gap-2">
          {prices.data.data.map((price) => (
            <li key={price.id} className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-edge pb-2">
              <span className="tabular w-24 font-semibold">{spellMoney(price.unit_price)}</span>
              <StateChip state={price.state} />
              <span className="text-dim">{price.region ?? 'everywhere'}</span>
              <span className="ms-auto text-sm text-dim">
                from <Ago at={price.effective_from} />
              </span>
            </li>
          ))}
        </ul>
      )}
      <form
        className="grid items-end gap-3 sm:grid-cols-[10rem_1fr_auto]"
        onSubmit={(event) => {
          event.preventDefault();
          if (minor !== undefined) add.mutate({ amount_minor: minor, reason: reason.trim() });
        }}
      >
        <Field label={`New price (${currency})`}>
          {(id) => (
            <input
              id={id}
              required
              inputMode="decimal"
              className="field"
              placeholder="4.50"
              aria-invalid={amount !== '' && minor === undefined}
              value={amount}
              onChange={(event) => setAmount(event.target.value)}
            />
          )}
        </Field>
        <Field label="Reason">
          {(id) => (
            <input
              id={id}
              maxLength={500}
              className="field"
              value={reason}
              onChange={(event) => setReason(event.target.value)}
            />
          )}
        </Field>
        <Button type="submit" look="primary" busy={add.isPending} disabled={minor === undefined}>
          Set from now on
        </Button>
      </form>
      {add.error && <Problem error={add.error} />}
    </Dialog>
  );
}
