import { listing } from '../listing.ts';

export const skuList = listing(
  async function* (api, session) {
    for await (const item of api.catalog.list({ region: session.text('region') })) {
      const now = item.availability.map(({ region, gpu_count, available }) => `${region} ${gpu_count}×:${available}`);
      yield { ...item, free_now: now, unit_price: item.prices[0]?.unit_price ?? null };
    }
  },
  // What fits a terminal of 100 columns: a column that is cut must not be the one that says what is free.
  ['sku', 'allowed_gpu_counts', 'unit_price', 'billing_unit', 'free_now'],
  'The catalog is empty.',
);
