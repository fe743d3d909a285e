import type { Sku, SkuPrice } from '@gpuaas/sdk';
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
  const currency = prices.data?.data[0]?.unit_price.currency ?? 'USD';
  const minor = minorOf(amount, currency);
  const caution = cautionOf({ minor, region, prices: prices.data?.data ?? [] });
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
      <PriceList prices={prices.data?.data} error={prices.error} />
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
          <RegionField value={region} onChange={setRegion} />
          {caution && (
            <Caution
              caution={caution}
              checked={isMeant}
              onChange={(checked) => setMeant(checked ? `${minor} ${region}` : undefined)}
            />
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

/** What an operator has to confirm: a free SKU, or a price far from the current one. */
function cautionOf(price: {
  readonly minor: string | undefined;
  readonly region: string;
  readonly prices: readonly SkuPrice[];
}): string | undefined {
  if (price.minor === '0') return 'a price of 0 makes this SKU free for every tenant.';
  const current = price.prices.filter(({ state }) => state === 'current');
  const counts =
    current.find(({ region }) => region === (price.region || null)) ?? current.find(({ region }) => region === null);
  const leap = leapOf(price.minor, counts?.unit_price.amount_minor);
  return leap && counts && `this is ${leap} (${spellMoney(counts.unit_price)}).`;
}

function Caution({
  caution,
  checked,
  onChange,
}: {
  caution: string;
  checked: boolean;
  onChange(checked: boolean): void;
}) {
  return (
    <label className="flex items-center gap-2 sm:col-span-2">
      <input
        type="checkbox"
        className="size-4 accent-accent"
        checked={checked}
        onChange={(event) => onChange(event.target.checked)}
      />
      Confirm: {caution}
    </label>
  );
}

function PriceList({ prices, error }: { prices: readonly SkuPrice[] | undefined; error: Error | null }) {
  if (error) return <Problem error={error} />;
  if (!prices) return <Loading />;
  return (
    <ul className="mb-5 grid gap-2">
      {prices.length === 0 && <li className="text-dim">No price yet. Tenants cannot launch it until it has one.</li>}
      {prices.map((price) => (
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
  );
}

function RegionField({ value, onChange }: { value: string; onChange(region: string): void }) {
  const regions = useAsk(['regions', 'admin'], (options) => api.adminRegions.list({ limit: 100 }, options));
  return (
    <Field label="Where" hint="A regional price overrides the price for all regions.">
      {(id) => (
        <select id={id} className="field" value={value} onChange={(event) => onChange(event.target.value)}>
          <option value="">all regions</option>
          {regions.data?.data.map(({ slug, name }) => (
            <option key={slug} value={slug}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
