import { choices } from '@gpuaas/sdk/choices';
import type { ArgSpec, CommandGroup, FlagSpec } from '../../command.ts';
import { because, limit, oneOf, reason, skuArg } from '../words.ts';

const regionArg: ArgSpec = { name: 'REGION', meaning: 'as gpuaas ops region list shows it', field: 'region' };
const imageArg: ArgSpec = { name: 'IMAGE', meaning: 'as gpuaas ops image list shows it', field: 'os_image' };
const text = (value: string, meaning: string, more: Partial<FlagSpec> = {}): FlagSpec => ({
  type: 'string',
  value,
  meaning,
  ...more,
});
const active: FlagSpec = { ...oneOf('true|false', ['true', 'false'], 'whether it is offered'), as: 'truth' };
const displayName = text('TEXT', 'the display name');
const counts = text('N,…', 'the GPU counts that can be ordered', { as: 'numbers', field: 'allowed_gpu_counts' });
const profile = text('JSON', 'the machine size for each GPU count', { as: 'json' });
const strategy = oneOf('WAY', choices.admin_os_image_create.driver_strategy, 'how the driver is installed');
const digest = text('sha256:…', 'the digest');
const sizeBytes = text('N', 'the size', { as: 'number' });
const skus = text('SKU,…', 'the SKUs that it runs on', { as: 'list' });

const skuColumns = [
  'sku',
  'display_name',
  'capacity_shape',
  'gpus_total',
  'allowed_gpu_counts',
  'billing_unit',
  'active',
];
const skuFields = [...skuColumns, 'vendor', 'gpu_model', 'gpu_memory_mib', 'resource_profile'];
const priceColumns = ['id', 'region', 'unit_price', 'state', 'effective_from'];
const imageColumns = ['slug', 'display_name', 'driver_strategy', 'skus', 'active', 'cached_on', 'digest'];
const regionColumns = ['slug', 'name', 'active', 'created_at'];

/** SKUs, images, regions and prices. */
export const catalog: CommandGroup = {
  title: 'Operate: catalog',
  commands: [
    {
      name: 'ops sku list',
      summary: 'All SKUs, retired ones included',
      flags: { limit },
      examples: ['gpuaas ops sku list'],
      operation: 'admin_sku_list',
      columns: skuColumns,
      none: 'There are no SKUs. gpuaas ops catalog-defaults loads the default ones.',
      reads: true,
    },
    {
      name: 'ops sku get',
      summary: 'One SKU as operators see it',
      args: [skuArg],
      examples: ['gpuaas ops sku get h200-sxm-slice'],
      operation: 'admin_sku_get',
      columns: skuFields,
      reads: true,
    },
    {
      name: 'ops sku create',
      summary: 'Add a SKU; it can be rented once it has a price',
      args: [skuArg],
      flags: {
        'display-name': { ...displayName, needed: true },
        vendor: text('NAME', 'the vendor', { needed: true }),
        'gpu-model': text('NAME', 'the GPU model', { needed: true }),
        'gpu-memory-mib': text('N', 'the memory of one GPU', { as: 'number', needed: true }),
        'gpus-total': text('N', 'GPUs per host', { as: 'number', needed: true }),
        'capacity-shape': {
          ...oneOf('SHAPE', choices.admin_sku_create.capacity_shape, 'whole nodes or slices'),
          needed: true,
        },
        counts,
        'billing-unit': oneOf('UNIT', choices.admin_sku_create.billing_unit, 'the unit of the price'),
        'resource-profile': profile,
      },
      examples: [
        "gpuaas ops sku create l40s-slice --display-name 'NVIDIA L40S' --vendor nvidia --gpu-model L40S --gpu-memory-mib 46068 --gpus-total 8 --capacity-shape gpu_slice --counts 1,2",
      ],
      operation: 'admin_sku_create',
      columns: skuFields,
    },
    {
      name: 'ops sku update',
      summary: 'Change a SKU for new allocations; existing ones keep their terms',
      args: [skuArg],
      flags: {
        'display-name': displayName,
        vendor: text('NAME', 'the vendor'),
        'gpu-model': text('NAME', 'the GPU model'),
        'gpu-memory-mib': text('N', 'the memory of one GPU', { as: 'number' }),
        counts,
        active,
        'resource-profile': profile,
      },
      examples: ['gpuaas ops sku update h200-sxm-slice --counts 1,2,4,8'],
      operation: 'admin_sku_update',
      columns: skuFields,
    },
    {
      name: 'ops sku prices',
      summary: 'Past, current and future prices',
      args: [skuArg],
      flags: { limit },
      examples: ['gpuaas ops sku prices h200-sxm-slice'],
      operation: 'sku_price_list',
      columns: priceColumns,
      none: 'It has no price. gpuaas ops sku price-add sets one.',
      reads: true,
    },
    {
      name: 'ops sku price-add',
      summary: 'Set a price, from now or from a later time on',
      args: [skuArg],
      flags: {
        price: text('AMOUNT', "for each unit and hour: 3.10 in the currency that the SKU has, or '3.10 EUR'", {
          as: 'money',
          field: 'unit_price',
          needed: true,
        }),
        region: text('REGION', 'only in this region'),
        from: text('TIME', 'valid from this time, as 2026-11-01T00:00:00Z', { field: 'effective_from' }),
        reason: because,
      },
      examples: ["gpuaas ops sku price-add h200-sxm-slice --price '3.10 EUR' --reason 'new season'"],
      operation: 'sku_price_add',
      columns: ['sku', ...priceColumns],
    },
    {
      name: 'ops sku retire',
      summary: 'Retire a SKU',
      args: [skuArg],
      flags: { reason: because },
      examples: ["gpuaas ops sku retire cs-3 --reason 'no hosts left' --yes"],
      operation: 'admin_sku_retire',
      columns: skuColumns,
      asks: 'Retire {}? Tenants can no longer launch it.',
    },
    {
      name: 'ops image list',
      summary: 'All images, retired ones included',
      flags: { limit },
      examples: ['gpuaas ops image list'],
      operation: 'admin_os_image_list',
      columns: imageColumns,
      none: 'There are no images.',
      reads: true,
    },
    {
      name: 'ops image create',
      summary: 'Add an image',
      args: [{ name: 'SLUG', meaning: 'the slug', field: 'slug' }],
      flags: {
        'display-name': { ...displayName, needed: true },
        digest: { ...digest, needed: true },
        'driver-strategy': { ...strategy, needed: true },
        'size-bytes': { ...sizeBytes, needed: true },
        skus: { ...skus, needed: true },
      },
      examples: [
        `gpuaas ops image create debian-13 --display-name 'Debian 13' --digest sha256:${'0'.repeat(64)} --driver-strategy cloud_init --size-bytes 1073741824 --skus h200-sxm-slice`,
      ],
      operation: 'admin_os_image_create',
      columns: imageColumns,
    },
    {
      name: 'ops image update',
      summary: 'Change an image',
      args: [imageArg],
      flags: {
        'display-name': displayName,
        digest,
        'driver-strategy': strategy,
        'size-bytes': sizeBytes,
        skus,
        active,
      },
      examples: ['gpuaas ops image update debian-13 --active true'],
      operation: 'admin_os_image_update',
      columns: imageColumns,
    },
    {
      name: 'ops image retire',
      summary: 'Retire an image',
      args: [imageArg],
      flags: { reason: because },
      examples: ["gpuaas ops image retire debian-12 --reason 'out of support'"],
      operation: 'admin_os_image_retire',
      columns: imageColumns,
    },
    {
      name: 'ops region list',
      summary: 'All regions, closed ones included',
      flags: { limit },
      examples: ['gpuaas ops region list'],
      operation: 'admin_region_list',
      columns: regionColumns,
      none: 'There are no regions.',
      reads: true,
    },
    {
      name: 'ops region create',
      summary: 'Create a region',
      args: [
        { name: 'SLUG', meaning: 'the slug', field: 'slug' },
        { name: 'NAME', meaning: 'the display name', field: 'name' },
      ],
      examples: ["gpuaas ops region create eu-2 'Europe, north'"],
      operation: 'admin_region_create',
      columns: regionColumns,
    },
    {
      name: 'ops region update',
      summary: 'Rename a region, close it or open it',
      args: [regionArg],
      flags: { name: text('TEXT', 'the display name'), active },
      examples: ['gpuaas ops region update eu-2 --active false'],
      operation: 'admin_region_update',
      columns: regionColumns,
    },
    {
      name: 'ops catalog-defaults',
      summary: 'Load the default catalog; existing entries stay unchanged',
      flags: { reason },
      examples: ['gpuaas ops catalog-defaults'],
      operation: 'catalog_defaults',
    },
  ],
};
