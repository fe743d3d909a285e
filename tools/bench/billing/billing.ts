import type { Options } from '../options.ts';
import type { Report } from '../report.ts';
import { measureAccrual } from './accrual.ts';
import { measureReads } from './reads.ts';

/** Charging as the number of allocations grows, and reading what was charged as history grows. */
export async function measureBilling(options: Options, report: Report): Promise<void> {
  await measureAccrual(options, report);
  await measureReads(options, report);
}
