import type { Sku } from './routes/admin/catalog.ts';
import type { ResourceProfile } from './routes/catalog.ts';

/** The catalog that comes with the product. Operators may load it and change it. */
interface DefaultSku extends Omit<Sku, 'active' | 'created_at' | 'updated_at'> {
  readonly price: { readonly amount_minor: string; readonly currency: string };
}

const noSlices: ResourceProfile = { fabric: 'none', slice_vm_profiles: [] };
const wholeNode = (
  sku: string,
  vendor: string,
  display_name: string,
  gpu: { readonly model: string; readonly memory_mib: number; readonly count: number },
  centsPerGpuHour: string,
  resource_profile: ResourceProfile = noSlices,
): DefaultSku => ({
  sku,
  vendor,
  display_name,
  gpu_model: gpu.model,
  gpu_memory_mib: gpu.memory_mib,
  capacity_shape: 'baremetal',
  gpus_total: gpu.count,
  allowed_gpu_counts: [gpu.count],
  billing_unit: 'gpu_hour',
  resource_profile,
  price: { amount_minor: centsPerGpuHour, currency: 'USD' },
});

const h200 = { model: 'NVIDIA H200', memory_mib: 143_771, count: 8 };

export const defaultSkus: readonly DefaultSku[] = [
  {
    sku: 'h200-sxm-slice',
    vendor: 'NVIDIA',
    display_name: 'NVIDIA H200 GPU VM',
    gpu_model: h200.model,
    gpu_memory_mib: h200.memory_mib,
    capacity_shape: 'gpu_slice',
    gpus_total: h200.count,
    allowed_gpu_counts: [1, 2, 4],
    billing_unit: 'gpu_hour',
    resource_profile: {
      fabric: 'ib',
      // The first machine size of a GPU count is the default.
      slice_vm_profiles: [
        { name: 'h200_1g_24c_64g', gpus: 1, vcpus: 24, memory_mib: 65_536 },
        { name: 'h200_1g_12c_64g', gpus: 1, vcpus: 12, memory_mib: 65_536 },
        { name: 'h200_2g_48c_128g', gpus: 2, vcpus: 48, memory_mib: 131_072 },
        { name: 'h200_4g_96c_256g', gpus: 4, vcpus: 96, memory_mib: 262_144 },
        { name: 'h200_8g_192c_512g', gpus: 8, vcpus: 192, memory_mib: 524_288 },
      ],
    },
    price: { amount_minor: '450', currency: 'USD' },
  },
  wholeNode('h200-sxm-baremetal-8g', 'NVIDIA', 'NVIDIA H200 full node', h200, '400', {
    fabric: 'ib',
    slice_vm_profiles: [],
  }),
  wholeNode('h200', 'NVIDIA', 'NVIDIA H200', h200, '400'),
  wholeNode('h100', 'NVIDIA', 'NVIDIA H100', { model: 'NVIDIA H100 80GB HBM3', memory_mib: 81_559, count: 8 }, '200'),
  wholeNode(
    'mi300x',
    'AMD',
    'AMD Instinct MI300X',
    { model: 'AMD Instinct MI300X', memory_mib: 196_608, count: 8 },
    '400',
  ),
  wholeNode(
    'mi210x',
    'AMD',
    'AMD Instinct MI210',
    { model: 'AMD Instinct MI210', memory_mib: 65_536, count: 8 },
    '200',
  ),
  wholeNode('cs-3', 'Cerebras', 'Cerebras CS-3', { model: 'Cerebras CS-3', memory_mib: 45_056, count: 1 }, '500'),
  wholeNode('cs-4', 'Cerebras', 'Cerebras CS-4', { model: 'Cerebras CS-4', memory_mib: 45_056, count: 1 }, '500'),
];

export const defaultImages = [
  {
    slug: 'ubuntu-24.04-h200-cuda',
    display_name: 'Ubuntu 24.04 with the driver and CUDA',
    driver_strategy: 'preinstalled',
    size_bytes: 21_474_836_480,
    skus: ['h200-sxm-slice'],
  },
  {
    slug: 'ubuntu-24.04-h200-base',
    display_name: 'Ubuntu 24.04, driver installed at first boot',
    driver_strategy: 'cloud_init',
    size_bytes: 5_368_709_120,
    skus: ['h200-sxm-slice'],
  },
] as const;
