import { profileFor, type Sku } from '@gpuaas/contract';

type Offer = Pick<Sku, 'capacity_shape' | 'gpus_total' | 'allowed_gpu_counts' | 'resource_profile'>;

/** Every inconsistency of a SKU, in sentences, so that one round of corrections suffices. */
export function skuProblems({ capacity_shape, gpus_total, allowed_gpu_counts, resource_profile }: Offer): string[] {
  const { slice_vm_profiles: profiles } = resource_profile;
  const names = profiles.map(({ name }) => name);
  const tooMany = [
    ...allowed_gpu_counts.filter((count) => count > gpus_total).map((count) => `allowed_gpu_counts has ${count}`),
    ...profiles.filter(({ gpus }) => gpus > gpus_total).map(({ name, gpus }) => `the profile ${name} has ${gpus} GPUs`),
  ].map((what) => `${what}, but a node has ${gpus_total}.`);
  const repeated = [...new Set(names.filter((name, at) => names.indexOf(name) !== at))].map(
    (name) => `The profile ${name} is there more than once.`,
  );
  if (capacity_shape === 'baremetal') {
    const isWhole = allowed_gpu_counts.length === 1 && allowed_gpu_counts[0] === gpus_total;
    return [
      ...(isWhole ? [] : [`A whole node is rented as a whole: allowed_gpu_counts must be [${gpus_total}].`]),
      ...(profiles.length > 0 ? ['A whole node has no sizes of virtual machine.'] : []),
    ];
  }
  const sizeless = allowed_gpu_counts
    .filter((count) => !profileFor(resource_profile, count))
    .map((count) => `No profile in slice_vm_profiles has ${count} GPUs.`);
  return [...tooMany, ...repeated, ...sizeless];
}
