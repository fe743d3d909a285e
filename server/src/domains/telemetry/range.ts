import { coarseSeconds, mostMetricPoints, sampleSeconds } from '@gpuaas/contract';
import { Fault } from '../../kernel/fault.ts';
import { secondMs } from '../../kernel/units.ts';
import { usualRangeMs } from './facts.ts';
import type { Range } from './store.ts';

interface Asked {
  readonly from?: string;
  readonly to?: string;
  readonly resolution?: number;
}

/** The range that a caller asks for, at the finest resolution that fits into one answer and is still kept. */
export function readRange(
  asked: Asked,
  now: Date,
  fineSince: Date,
): Omit<Range, 'limit'> | Fault<'metrics_range_invalid'> {
  const to = asked.to === undefined ? now : new Date(asked.to);
  const from = asked.from === undefined ? new Date(to.getTime() - usualRangeMs) : new Date(asked.from);
  const lengthMs = to.getTime() - from.getTime();
  if (!(lengthMs > 0)) return new Fault('metrics_range_invalid', 'The range must end after it begins.');
  const fits = (seconds: number) => lengthMs <= mostMetricPoints * seconds * secondMs;
  const finest = fits(sampleSeconds) && from >= fineSince ? sampleSeconds : coarseSeconds;
  const resolution =
    asked.resolution === undefined ? finest : asked.resolution === sampleSeconds ? sampleSeconds : coarseSeconds;
  if (fits(resolution)) return { from, to, resolution };
  const hours = Math.floor((mostMetricPoints * resolution * secondMs) / usualRangeMs);
  return new Fault(
    'metrics_range_invalid',
    `One answer holds ${hours} hours at ${resolution} s. Ask for less time${resolution === sampleSeconds ? `, or for ${coarseSeconds} s` : ''}.`,
  );
}
