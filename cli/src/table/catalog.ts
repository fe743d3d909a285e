import { choices } from '@gpuaas/sdk/choices';
import type { ArgSpec, CommandGroup, FlagSpec } from '../command.ts';
import { because, limit, oneOf, reason, skuArg } from './words.ts';

const regionArg: ArgSpec = { name: 'REGION', meaning: 'as gpuaas ops region list shows it', field: 'region' };
const imageArg: ArgSpec = { name: 'IMAGE', meaning: 'as gpuaas ops image list shows it', field: 'os_image' };
const text = (value: string, meaning: string, more: Partial<FlagSpec> = {}): FlagSpec => ({
  type: 'string',
  value,
  meaning,
  ...more,
});
const active: FlagSpec = { ...oneOf('true|false', ['true', 'false'], 'whether it is offered'), as: 'truth' };
const displayName = text('TEXT', 'what people call it');
const counts = text('N,…', 'how many GPUs may be had at once', { as: 'numbers', field: 'allowed_gpu_counts' });
const profile = text('JSON', 'the size of the machines for each number of GPUs', { as: 'json' });
const strategy = oneOf('WAY', choices.admin_os_image_create.driver_strategy, 'how the driver gets there');
const digest = text('sha256:…', 'what exactly it is');
const sizeBytes = text('N', 'how large it is', { as: 'number' });
const skus = text('SKU,…', 'what it runs on', { as: 'list' });

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

/** What is offered, where, and for how much. */
export const catalog: CommandGroup = {
  title: 'Operate: what is offered',
  commands: [
    {
      name: 'ops sku list',
      summary: 'Every SKU, also those that are not offered',
      flags: { limit },
      examples: ['gpuaas ops sku list'],
      operation: 'admin_sku_list',
      columns: skuColumns,
      none: 'There are no SKUs. gpuaas ops catalog-defaults brings some.',
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
      summary: 'Offer a new kind of capacity; it can be rented once it has a price',
      args: [skuArg],
      flags: {
        'display-name': { ...displayName, needed: true },
        vendor: text('NAME', 'who makes it', { needed: true }),
        'gpu-model': text('NAME', 'which GPU', { needed: true }),
        'gpu-memory-mib': text('N', 'how much memory one has', { as: 'number', needed: true }),
        'gpus-total': text('N', 'how many a host has', { as: 'number', needed: true }),
        'capacity-shape': {
          ...oneOf('SHAPE', choices.admin_sku_create.capacity_shape, 'whole hosts or parts of them'),
          needed: true,
        },
        counts,
        'billing-unit': oneOf('UNIT', choices.admin_sku_create.billing_unit, 'what is paid for'),
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
      summary: 'Change what is offered from now on; what was rented stays as it is',
      args: [skuArg],
      flags: {
        'display-name': displayName,
        vendor: text('NAME', 'who makes it'),
        'gpu-model': text('NAME', 'which GPU'),
        'gpu-memory-mib': text('N', 'how much memory one has', { as: 'number' }),
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
      none: 'It has no price. gpuaas ops sku price-add gives it one.',
      reads: true,
    },
    {
      name: 'ops sku price-add',
      summary: 'A new price, from now or from a day on',
      args: [skuArg],
      flags: {
        price: text('AMOUNT', 'minor units and a currency: 310 EUR is 3.10 euros', {
          as: 'money',
          field: 'unit_price',
          needed: true,
        }),
        region: text('REGION', 'only there'),
        from: text('TIME', 'from this moment on, as 2026-11-01T00:00:00Z', { field: 'effective_from' }),
        reason,
      },
      examples: ["gpuaas ops sku price-add h200-sxm-slice --price '310 EUR' --reason 'new season'"],
      operation: 'sku_price_add',
      columns: ['sku', ...priceColumns],
    },
    {
      name: 'ops sku retire',
      summary: 'Offer it no more',
      args: [skuArg],
      flags: { reason: because },
      examples: ["gpuaas ops sku retire cs-3 --reason 'no hosts left' --yes"],
      operation: 'admin_sku_retire',
      columns: skuColumns,
      asks: 'Retire {}? Tenants can no longer launch it.',
    },
    {
      name: 'ops image list',
      summary: 'Operating systems, also those that are not offered',
      flags: { limit },
      examples: ['gpuaas ops image list'],
      operation: 'admin_os_image_list',
      columns: imageColumns,
      none: 'There are no images.',
      reads: true,
    },
    {
      name: 'ops image create',
      summary: 'Offer an operating system',
      args: [{ name: 'SLUG', meaning: 'what programs call it', field: 'slug' }],
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
      summary: 'Change what is offered from now on',
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
      summary: 'Offer it no more',
      args: [imageArg],
      flags: { reason: because },
      examples: ["gpuaas ops image retire debian-12 --reason 'out of support'"],
      operation: 'admin_os_image_retire',
      columns: imageColumns,
    },
    {
      name: 'ops region list',
      summary: 'Regions, also those that are not offered',
      flags: { limit },
      examples: ['gpuaas ops region list'],
      operation: 'admin_region_list',
      columns: regionColumns,
      none: 'There are no regions.',
      reads: true,
    },
    {
      name: 'ops region create',
      summary: 'Make a region',
      args: [
        { name: 'SLUG', meaning: 'what programs call it', field: 'slug' },
        { name: 'NAME', meaning: 'what people call it', field: 'name' },
      ],
      examples: ["gpuaas ops region create eu-2 'Europe, north'"],
      operation: 'admin_region_create',
      columns: regionColumns,
    },
    {
      name: 'ops region update',
      summary: 'Call it something else, or offer it no more',
      args: [regionArg],
      flags: { name: text('TEXT', 'what people call it'), active },
      examples: ['gpuaas ops region update eu-2 --active false'],
      operation: 'admin_region_update',
      columns: regionColumns,
    },
    {
      name: 'ops catalog-defaults',
      summary: 'Add what is missing of the catalog that comes with the product',
      flags: { reason },
      examples: ['gpuaas ops catalog-defaults'],
      operation: 'catalog_defaults',
    },
  ],
};
