import { listing } from '../listing.ts';

export const skuList = listing(
  async function* (api, session) {
    for await (const item of api.catalog.list({ region: session.text('region') })) {
      const now = item.availability.map(({ region, gpu_count, available }) => `${region} ${gpu_count}×:${available}`);
      yield { ...item, free_now: now, unit_price: item.prices[0]?.unit_price ?? null };
    }
  },
  ['sku', 'display_name', 'capacity_shape', 'allowed_gpu_counts', 'unit_price', 'billing_unit', 'free_now'],
  'The catalog is empty.',
);
