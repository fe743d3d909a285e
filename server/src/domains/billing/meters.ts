import type { UsagePoint } from '@gpuaas/contract';

export type Meter = NonNullable<UsagePoint['meter']>;

/** Those of apps name a unit and a version, and are one kind for people. */
export const kindOfMeter = (meter: string): Meter =>
  meter === 'gpu_time' || meter === 'storage' ? meter : 'app_units';
