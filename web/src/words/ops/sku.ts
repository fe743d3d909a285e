/** Parses `1, 2, 4, 8`; undefined where it is not a list of GPU counts. */
export function readCounts(text: string): number[] | undefined {
  const counts = text.split(',').map((part) => part.trim());
  if (!counts.every((part) => /^[1-9][0-9]?$/.test(part))) return undefined;
  return [...new Set(counts.map(Number))].sort((a, b) => a - b);
}

/** A size of virtual machine for each count, in the same proportion. */
export const profilesFor = (
  counts: readonly number[],
  perGpu: { readonly vcpus: number; readonly memoryMib: number },
): { name: string; gpus: number; vcpus: number; memory_mib: number }[] =>
  counts.map((gpus) => ({
    name: `gpu_${gpus}`,
    gpus,
    vcpus: gpus * perGpu.vcpus,
    memory_mib: gpus * perGpu.memoryMib,
  }));
