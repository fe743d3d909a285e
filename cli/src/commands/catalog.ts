import { listing, showing } from '../listing.ts';

export const skuList = listing(
  async function* (api, session) {
    for await (const item of api.catalog.list({ region: session.text('region') })) {
      const now = item.availability.map(({ region, gpu_count, available }) => `${region} ${gpu_count}×:${available}`);
      yield { ...item, free_now: now, unit_price: item.prices[0]?.unit_price ?? null };
    }
  },
  ['sku', 'display_name', 'capacity_shape', 'allowed_gpu_counts', 'unit_price', 'billing_unit', 'free_now'],
  'The catalogue is empty.',
);
export const skuGet = showing(
  (api, session) => api.catalog.get({ sku: session.arg(0) }),
  [
    'sku',
    'display_name',
    'gpu_model',
    'gpu_memory_mib',
    'capacity_shape',
    'gpus_total',
    'allowed_gpu_counts',
    'billing_unit',
    'prices',
    'availability',
    'os_images',
  ],
);
export const imageList = listing(
  (api, session) => api.catalog.osImageList({ sku: session.text('sku') }),
  ['slug', 'display_name', 'driver_strategy', 'skus'],
  'There are no images.',
);
export const regionList = listing(
  (api) => api.catalog.regionList(),
  ['slug', 'name', 'active'],
  'There are no regions.',
);
