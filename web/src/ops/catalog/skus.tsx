import type { CatalogItem, Sku } from '@gpuaas/sdk';
import { useState } from 'react';
import { api } from '../../client/api.ts';
import { useAct, useAsk, useList } from '../../client/ask.ts';
import { useMay } from '../../client/session.tsx';
import { Button } from '../../parts/button.tsx';
import { StateChip } from '../../parts/chip.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Page } from '../../parts/page.tsx';
import { Rows } from '../../parts/rows.tsx';
import { Empty, Problem } from '../../parts/states.tsx';
import { spellMoney } from '../../words/money.ts';
import { spellMemory } from '../../words/sizes.ts';
import { PricesDialog } from './prices-dialog.tsx';
import { SkuDialog } from './sku-dialog.tsx';

export function SkusPage() {
  const may = useMay();
  const list = useList(['skus'], (from, options) => api.adminSkus.list(from, options));
  const offered = useAsk(['catalog', 'prices'], (options) => api.catalog.list({ limit: 100 }, options));
  const priceOf = (sku: string) => {
    const all = offered.data?.data.find((item) => item.sku === sku)?.prices ?? [];
    return all.find(({ region }) => region === null) ?? all[0];
  };
  const [prices, setPrices] = useState<Sku>();
  const [going, setGoing] = useState<Sku>();
  const [editing, setEditing] = useState<Sku | 'new'>();
  const revive = useAct('sku revive', (sku: string, options) => api.adminSkus.update({ sku, active: true }, options), {
    stale: ['skus', 'catalog'],
  });
  const retire = useAct(
    'sku retire',
    ({ sku, reason }: { sku: string; reason: string }, options) => api.adminSkus.retire({ sku, reason }, options),
    { stale: ['skus', 'catalog'], done: () => setGoing(undefined) },
  );
  return (
    <Page
      title="SKUs and prices"
      lead="What tenants can launch, and at which price. A new price never changes earlier ones."
      actions={
        may('admin_sku_create') && (
          <Button look="primary" icon="plus" onClick={() => setEditing('new')}>
            New SKU
          </Button>
        )
      }
      shown={{ operation: 'admin_sku_list', input: { limit: 50 } }}
    >
      {revive.error && <Problem error={revive.error} />}
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
          {
            head: 'Price',
            cell: (sku) =>
              offered.error ? <span className="text-dim">unknown</span> : <Price sku={sku} price={priceOf(sku.sku)} />,
          },
          { head: 'State', cell: (sku) => <StateChip state={sku.active ? 'active' : 'retired'} /> },
          {
            head: '',
            end: true,
            cell: (sku) => (
              <SkuActions
                sku={sku}
                isReviving={revive.isPending && revive.variables === sku.sku}
                onPrices={() => setPrices(sku)}
                onEdit={() => setEditing(sku)}
                onRetire={() => setGoing(sku)}
                onRevive={() => revive.mutate(sku.sku)}
              />
            ),
          },
        ]}
        empty={<Empty icon="tag" title="No SKUs yet" />}
      />
      {prices && <PricesDialog sku={prices} onClose={() => setPrices(undefined)} />}
      {editing && (
        <SkuDialog
          sku={editing === 'new' ? undefined : editing}
          onClose={() => setEditing(undefined)}
          onMade={setPrices}
        />
      )}
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
          <p>Tenants can no longer launch it. Running allocations continue.</p>
        </Confirm>
      )}
    </Page>
  );
}

function Price({ sku, price }: { sku: Sku; price: CatalogItem['prices'][number] | undefined }) {
  if (!price) return <span className="text-dim">{sku.active ? 'none' : ''}</span>;
  const unit = sku.billing_unit === 'gpu_hour' ? 'GPU hour' : 'host hour';
  return (
    <span className="tabular whitespace-nowrap">
      {spellMoney(price.unit_price)} per {unit}
      {price.region && <span className="block text-sm text-dim">in {price.region}</span>}
    </span>
  );
}

function SkuActions({
  sku,
  isReviving,
  onPrices,
  onEdit,
  onRetire,
  onRevive,
}: {
  sku: Sku;
  isReviving: boolean;
  onPrices(): void;
  onEdit(): void;
  onRetire(): void;
  onRevive(): void;
}) {
  const may = useMay();
  return (
    <span className="flex flex-wrap justify-end gap-2">
      <Button aria-label={`Prices of ${sku.display_name}`} onClick={onPrices}>
        Prices
      </Button>
      {may('admin_sku_update') && (
        <Button aria-label={`Edit ${sku.display_name}`} onClick={onEdit}>
          Edit
        </Button>
      )}
      {sku.active && may('admin_sku_retire') && (
        <Button look="danger" aria-label={`Retire ${sku.display_name}`} onClick={onRetire}>
          Retire
        </Button>
      )}
      {!sku.active && may('admin_sku_update') && (
        <Button busy={isReviving} aria-label={`Offer ${sku.display_name} again`} onClick={onRevive}>
          Offer again
        </Button>
      )}
    </span>
  );
}
