import { defaultImages, defaultSkus } from '@gpuaas/contract';
import { table } from '../table.ts';

const code = (text: string): string => `\`${text}\``;
const gibOf = (mib: number): string => `${(mib / 1024).toLocaleString('en', { maximumFractionDigits: 0 })} GiB`;
const money = (minor: string, currency: string): string => `${(Number(minor) / 100).toFixed(2)} ${currency}`;

/** What can be rented as the product comes: shapes, SKUs, sizes of machines, images. */
export function emitCapacity(): string {
  const rows = defaultSkus.map((sku) => [
    code(sku.sku),
    sku.capacity_shape,
    `${sku.gpu_model}, ${gibOf(sku.gpu_memory_mib)}`,
    String(sku.gpus_total),
    sku.allowed_gpu_counts.join(', '),
    money(sku.price.amount_minor, sku.price.currency),
  ]);
  const slices = defaultSkus.flatMap((sku) =>
    sku.resource_profile.slice_vm_profiles.map(({ name, gpus, vcpus, memory_mib: memory }) => [
      code(sku.sku),
      code(name),
      String(gpus),
      String(vcpus),
      gibOf(memory),
      sku.allowed_gpu_counts.includes(gpus) ? 'yes' : 'no: not among the counts of the SKU',
    ]),
  );
  const images = defaultImages.map((image) => [
    code(image.slug),
    image.driver_strategy,
    image.skus.map(code).join(', '),
    image.display_name,
  ]);
  return `# Capacity shapes and SKUs

What can be rented in a new installation, in which sizes and at which price ([default-catalog.ts](../../contract/src/default-catalog.ts)). \`gpuaas ops catalog-defaults\`
loads it; operators change it afterwards ([add a kind of capacity](../guides/add-a-sku.md)), so ask \`gpuaas sku list\` what an installation offers.

There are two shapes:

- **baremetal**: a whole host, with a login on it. All of its GPUs go to one tenant.
- **gpu_slice**: a virtual machine with whole GPUs of a host. A GPU is never shared: a slice has one, two or four of them, each passed
  through ([slices as built](../concepts/slices.md)).

${table(['SKU', 'shape', 'GPU', 'GPUs of a host', 'may be rented', 'price of a GPU hour'], rows)}

## Machines of slices

For each number of GPUs, the first size is the default.

${table(['SKU', 'size', 'GPUs', 'CPUs', 'memory', 'may be rented'], slices)}

## Images of slices

${table(['image', 'driver', 'for', 'what'], images)}
`;
}
