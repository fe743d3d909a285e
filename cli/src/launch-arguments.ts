import { type CatalogItem, type Gpuaas, regionFor } from '@gpuaas/sdk';
import type { Session } from './command.ts';
import { exitCodes, Failure, usageFailure } from './failure.ts';
import { readLength } from './input/read-input.ts';
import { settingOf } from './setting.ts';

/** Resolves `h200x2` to a SKU of the catalog, a count and a region. */

/** `h200x2` is two of h200, unless a SKU has exactly this name. */
export async function findSku(
  api: Gpuaas,
  asked: string,
  count?: string,
): Promise<{ item: CatalogItem; gpus: number }> {
  const all: CatalogItem[] = [];
  for await (const item of api.catalog.list()) all.push(item);
  const exact = all.find(({ sku }) => sku === asked);
  const [, stem = asked, times] = /^(.+)x(\d{1,2})$/.exec(asked) ?? [];
  const item = exact ?? all.find(({ sku }) => sku === stem);
  if (!item) {
    throw new Failure(exitCodes.notFound, `There is no SKU ${JSON.stringify(asked)}.`, {
      next: `gpuaas sku list shows all SKUs${all.length > 0 ? `: ${all.map(({ sku }) => sku).join(', ')}` : ''}.`,
    });
  }
  const text = count ?? (exact ? undefined : times);
  const gpus = text === undefined ? (item.allowed_gpu_counts[0] ?? 1) : Number(text);
  if (!Number.isInteger(gpus) || gpus < 1) throw usageFailure('--count must be a number of GPUs.');
  return { item, gpus };
}

/** The requested region, else the one with the most free capacity. */
export async function regionOf(session: Session, item: CatalogItem, gpus: number): Promise<string> {
  const kept = { value: (await session.profile()).region, from: 'profile' };
  const chosen = settingOf(session, 'region', kept).value;
  if (chosen !== undefined) return chosen;
  try {
    return regionFor(item, gpus);
  } catch (cause) {
    throw new Failure(exitCodes.capacity, `No host offers ${item.sku} now.`, {
      next: 'Name a region with --region, or choose another SKU with gpuaas sku list.',
      cause,
    });
  }
}

export function lengthOf(session: Session, flag: string): number | undefined {
  const text = session.text(flag);
  return text === undefined ? undefined : readLength(text, `--${flag}`);
}
