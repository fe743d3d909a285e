import type { UsagePoint } from '@gpuaas/contract';

export type Meter = NonNullable<UsagePoint['meter']>;

/** The meter of a day, as people read it: those of apps name a unit and a version, and are one kind. */
export const meterOfDay = `case when d.meter like 'app:%' then 'app_units' else d.meter end`;
export const kindOfMeter = (meter: string): Meter =>
  meter === 'gpu_time' || meter === 'storage' ? meter : 'app_units';
