import type { CatalogItem } from '@gpuaas/sdk';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { api } from '../../client/api.ts';
import { letGo } from '../../client/let-go.ts';
import { type Amount, minorOf } from '../../words/money.ts';
import { bestRegion, byReach, inventName, priceIn } from '../../words/wish.ts';
import type { LaunchLists } from './lists.ts';

export type Wish = Parameters<typeof api.allocationGroups.create>[0]['members'][number];
export interface Change {
  readonly sku?: string;
  readonly gpus?: number;
  readonly region?: string;
  readonly machines?: number;
}

const hourSeconds = 3_600;
export const mostMachines = 16;

/** What the person has chosen. The shape is in the address, so it can be shared; the rest is in the form. */
export function useWish(lists: LaunchLists) {
  const search = useSearch({ strict: false }) as { sku?: string; gpus?: string; region?: string; machines?: string };
  const navigate = useNavigate();
  const [name, setName] = useState(inventName);
  // As on the command line: it runs until it is released, unless the person chooses a duration.
  const [hour, setHour] = useState('');
  const [spend, setSpend] = useState('');
  const [idle, setIdle] = useState('');
  const [wantedImage, setImage] = useState('');
  const [unwanted, setUnwanted] = useState<ReadonlySet<string>>(new Set());

  const items = [...(lists.catalog.data?.data ?? [])].sort(byReach);
  const item = items.find(({ sku }) => sku === search.sku) ?? items[0];
  const regions = regionsOf(item, lists);
  const region = regions.find((each) => each === search.region) ?? bestRegion(item, regions);
  const counts = item?.allowed_gpu_counts ?? [];
  const gpus = counts.find((count) => String(count) === search.gpus) ?? counts[0] ?? 1;
  const machines = Math.min(mostMachines, Math.max(1, Math.floor(Number(search.machines)) || 1));
  const images = lists.images.data?.data.filter(({ skus }) => item && skus.includes(item.sku)) ?? [];
  const image = images.find(({ slug }) => slug === wantedImage)?.slug;
  const currency = item && priceIn(item, region)?.currency;
  const cap = capOf(spend, currency);
  const chosenKeys = (lists.keys ?? []).map(({ id }) => id).filter((id) => !unwanted.has(id));
  const choose = (next: Change) => {
    const [sku, where] = [next.sku ?? item?.sku, next.region ?? region];
    const many = next.machines ?? machines;
    letGo(
      navigate({
        to: '/launch',
        replace: true,
        search: {
          gpus: String(next.gpus ?? gpus),
          ...(sku && { sku }),
          ...(where && { region: where }),
          ...(many > 1 && { machines: String(many) }),
        },
      }),
    );
  };
  const limits = {
    ...(hour && { max_duration_seconds: Number(hour) * hourSeconds }),
    ...(cap && { max_spend: cap }),
  };
  const wish: Wish | undefined =
    item && region
      ? {
          ...{ sku: item.sku, gpus, region, ...limits },
          ...(image && { image }),
          ...(chosenKeys.length > 0 && { ssh_key_ids: chosenKeys }),
          ...(idle && { idle: { minutes: Number(idle), action: 'release' as const } }),
        }
      : undefined;
  return {
    ...{ items, item, regions, region, counts, gpus, machines, images, image, currency, choose, wish },
    ...{ name, setName, hour, setHour, spend, setSpend, idle, setIdle, setImage, unwanted },
    toggleKey: (id: string) => setUnwanted((known) => toggled(known, id)),
    /** Whether the cap is an amount, or empty. */
    isCapRight: spend.trim() === '' || cap !== undefined,
    /** What a quote is about: JSON, because it is compared. */
    asksFor: wish ? JSON.stringify({ sku: wish.sku, gpus, region: wish.region, ...limits }) : 'null',
  };
}
export type Chosen = ReturnType<typeof useWish>;

const regionsOf = (item: CatalogItem | undefined, { regions }: LaunchLists): readonly string[] => [
  ...new Set([
    ...(item?.availability.map((entry) => entry.region) ?? []),
    ...(regions.data?.data.map(({ slug }) => slug) ?? []),
  ]),
];

function capOf(text: string, currency: string | undefined): Amount | undefined {
  const amount_minor = currency === undefined ? undefined : minorOf(text, currency);
  return currency === undefined || amount_minor === undefined || amount_minor === '0'
    ? undefined
    : { amount_minor, currency };
}

const toggled = (known: ReadonlySet<string>, id: string): ReadonlySet<string> => {
  const next = new Set(known);
  if (!next.delete(id)) next.add(id);
  return next;
};
