import type { Overview } from '@gpuaas/sdk';
import { counted } from './sizes.ts';

/** `12 of 512 GPUs`. */
export const spellQuota = ({ held, limit }: Pick<Overview['gpu_quota'], 'held' | 'limit'>): string =>
  `${held} of ${counted(limit, 'GPU')}`;
