import type { CatalogItem } from '@gpuaas/sdk';
import { spellMoney } from '../../words/money.ts';
import { counted, spellMemory } from '../../words/sizes.ts';
import { hasHosts, hasStock, hourly, stockOf } from '../../words/wish.ts';

/** The SKUs as rows. Available ones are visible; the others are one click away. */
export function SkuChoice(parts: {
  items: readonly CatalogItem[];
  chosen: CatalogItem | undefined;
  region: string | undefined;
  gpus: number;
  onChoose(item: CatalogItem): void;
}) {
  const row = (item: CatalogItem) => (
    <SkuRow
      key={item.sku}
      item={item}
      region={item === parts.chosen ? parts.region : undefined}
      gpus={item === parts.chosen ? parts.gpus : (item.allowed_gpu_counts[0] ?? 1)}
      checked={item === parts.chosen}
      onChoose={() => parts.onChoose(item)}
    />
  );
  const [free, full] = [parts.items.filter(hasStock), parts.items.filter((item) => !hasStock(item))];
  return (
    <fieldset className="grid gap-2">
      <legend className="sr-only">GPU type</legend>
      {free.map(row)}
      {full.length > 0 && (
        <details open={free.length === 0 || (parts.chosen && full.includes(parts.chosen))} className="group">
          <summary className="rounded-lg px-3 py-2 text-sm text-dim hover:bg-sunk">
            {counted(full.length, 'more type')} without free capacity
          </summary>
          <div className="mt-2 grid gap-2">{full.map(row)}</div>
        </details>
      )}
    </fieldset>
  );
}

function SkuRow(parts: {
  item: CatalogItem;
  region: string | undefined;
  gpus: number;
  checked: boolean;
  onChoose(): void;
}) {
  const { item, region, gpus, checked } = parts;
  const price = hourly(item, region, 1);
  const free = stockOf(item, region, gpus);
  return (
    <label
      className={`flex cursor-pointer flex-wrap items-center gap-x-4 gap-y-1 rounded-lg border px-3 py-3 has-focus-visible:outline-2 has-focus-visible:outline-accent ${checked ? 'border-accent bg-accent-soft' : 'border-edge hover:border-line'}`}
    >
      <input type="radio" name="sku" className="size-4 accent-accent" checked={checked} onChange={parts.onChoose} />
      <span className="min-w-0 grow basis-40">
        <span className="font-semibold">{item.display_name}</span>
        <span className="block text-sm text-dim">
          {item.gpu_model} · {spellMemory(item.gpu_memory_mib)} ·{' '}
          {item.capacity_shape === 'gpu_slice' ? 'virtual machine' : 'whole host'}
        </span>
      </span>
      <span className="flex grow items-baseline justify-between gap-4 ps-8 sm:grow-0 sm:items-center sm:ps-0">
        <span className={`text-sm font-medium whitespace-nowrap ${free > 0 ? 'text-ok' : 'text-warn'}`}>
          {free > 0 ? `● ${free} available` : hasHosts(item) ? '○ full, queue open' : '○ no hosts'}
        </span>
        <span className="tabular shrink-0 text-end whitespace-nowrap sm:w-28">
          {price ? spellMoney(price) : '—'}
          <span className="text-sm whitespace-nowrap text-dim sm:block">
            {' '}
            per {item.billing_unit === 'gpu_hour' ? 'GPU-hour' : 'host-hour'}
          </span>
        </span>
      </span>
    </label>
  );
}

/** The GPU counts that are sold, each with the free capacity. */
export function CountChoice(parts: {
  item: CatalogItem;
  region: string | undefined;
  value: number;
  onChoose(count: number): void;
}) {
  return (
    <fieldset>
      <legend className="mb-1 text-sm font-medium">GPUs in each machine</legend>
      <div className="flex flex-wrap gap-2">
        {parts.item.allowed_gpu_counts.map((count) => (
          <button
            key={count}
            type="button"
            aria-pressed={count === parts.value}
            onClick={() => parts.onChoose(count)}
            className={`min-h-11 min-w-14 rounded-lg border px-3 font-semibold ${count === parts.value ? 'border-accent bg-accent-soft text-accent' : 'border-line/60 hover:bg-sunk'}`}
          >
            {count}
            <span className="block text-xs font-normal text-dim">
              {stockOf(parts.item, parts.region, count)} available
            </span>
          </button>
        ))}
      </div>
    </fieldset>
  );
}
