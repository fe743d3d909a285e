import { type NodeSample, thermalBits } from '@gpuaas/contract/node';

/** Which GPUs heat slows down. One sample proves little: a GPU counts after three in a row, and no more after one without. */
export interface HeatWatch {
  see(sample: NodeSample | undefined): void;
  readonly hot: readonly number[];
}

const inARow = 3;

export function makeHeatWatch(): HeatWatch {
  let counts: number[] = [];
  return {
    see(sample) {
      const bits = sample?.gpu.throttle ?? [];
      counts = bits.map((each, at) => (((each ?? 0) & thermalBits) === 0 ? 0 : (counts[at] ?? 0) + 1));
    },
    get hot() {
      return counts.flatMap((count, at) => (count >= inARow ? [at] : []));
    },
  };
}
