import type { Sku } from '@gpuaas/sdk';
import { useRef, useState } from 'react';
import { api } from '../../client/api.ts';
import { useAct, useAsk } from '../../client/ask.ts';
import { useMay } from '../../client/session.tsx';
import { Button } from '../../parts/button.tsx';
import { StateChip } from '../../parts/chip.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field, TextField } from '../../parts/field.tsx';
import { Loading, Problem } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { faultOfAmount, leapOf, minorOf, spellMoney } from '../../words/money.ts';

/** Past, current and announced prices, and a form for a new one. */
export function PricesDialog({ sku, onClose }: { sku: Sku; onClose(): void }) {
  const mayAdd = useMay()('sku_price_add');
  const prices = useAsk(['skus', sku.sku, 'prices'], (options) =>
    api.adminSkus.priceList({ sku: sku.sku, limit: 50 }, options),
  );
  const form = useRef<HTMLFormElement>(null);
  const [amount, setAmount] = useState('');
  const [reason, setReason] = useState('');
  const [from, setFrom] = useState('');
  const [region, setRegion] = useState('');
  const regions = useAsk(['regions', 'admin'], (options) => api.adminRegions.list({ limit: 100 }, options));
  const currency = prices.data?.data[0]?.unit_price.currency ?? 'USD';
  const minor = minorOf(amount, currency);
  const current = prices.data?.data.filter(({ state }) => state === 'current') ?? [];
  const counts =
    current.find((price) => price.region === (region || null)) ?? current.find((price) => price.region === null);
  const leap = leapOf(minor, counts?.unit_price.amount_minor);
  const caution =
    minor === '0'
      ? 'a price of 0 makes this SKU free for every tenant.'
      : leap && counts && `this is ${leap} (${spellMoney(counts.unit_price)}).`;
  // A confirmation belongs to the price that it was given for.
  const [meant, setMeant] = useState<string>();
  const isMeant = !caution || meant === `${minor} ${region}`;
  const add = useAct(
    'price add',
    (input: { amount_minor: string; reason: string; from: string; region: string }, options) =>
      api.adminSkus.priceAdd(
        {
          sku: sku.sku,
          unit_price: { amount_minor: input.amount_minor, currency },
          reason: input.reason,
          ...(input.region && { region: input.region }),
          ...(input.from && { effective_from: new Date(input.from).toISOString() }),
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
          {prices.data.data.length === 0 && (
            <li className="text-dim">No price yet. Tenants cannot launch it until it has one.</li>
          )}
          {prices.data.data.map((price) => (
            <li key={price.id} className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-edge pb-2">
              <span className="tabular w-24 font-semibold">{spellMoney(price.unit_price)}</span>
              <StateChip state={price.state} />
              <span className="text-dim">{price.region ?? 'all regions'}</span>
              <span className="ms-auto text-sm text-dim">
                from <Ago at={price.effective_from} />
              </span>
            </li>
          ))}
        </ul>
      )}
      {mayAdd && (
        <form
          ref={form}
          className="grid items-start gap-3 sm:grid-cols-2"
          onSubmit={(event) => {
            event.preventDefault();
            if (minor !== undefined) add.mutate({ amount_minor: minor, reason: reason.trim(), from, region });
          }}
        >
          <Field label={`New price (${currency})`} hint={faultOfAmount(amount, currency)}>
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
          <TextField
            label="Reason"
            hint="At least 3 characters. Kept in the audit log."
            required
            minLength={3}
            maxLength={500}
            value={reason}
            onChange={setReason}
          />
          <Field label="From" hint="Empty: from now on.">
            {(id) => (
              <input
                id={id}
                type="datetime-local"
                className="field"
                value={from}
                onChange={(event) => setFrom(event.target.value)}
              />
            )}
          </Field>
          <Field label="Where" hint="A regional price overrides the price for all regions.">
            {(id) => (
              <select id={id} className="field" value={region} onChange={(event) => setRegion(event.target.value)}>
                <option value="">all regions</option>
                {regions.data?.data.map(({ slug, name }) => (
                  <option key={slug} value={slug}>
                    {name}
                  </option>
                ))}
              </select>
            )}
          </Field>
          {caution && (
            <label className="flex items-center gap-2 sm:col-span-2">
              <input
                type="checkbox"
                className="size-4 accent-accent"
                checked={isMeant}
                onChange={(event) => setMeant(event.target.checked ? `${minor} ${region}` : undefined)}
              />
              Confirm: {caution}
            </label>
          )}
          <Button
            type="submit"
            look="primary"
            className="justify-self-start"
            busy={add.isPending}
            disabled={minor === undefined || !isMeant}
          >
            {from ? 'Announce the price' : 'Set from now on'}
          </Button>
        </form>
      )}
      {add.error && <Problem error={add.error} goOn={() => form.current?.requestSubmit()} />}
    </Dialog>
  );
}
