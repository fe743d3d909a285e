import { AppUseCounts, appIngressRoutes } from '@gpuaas/contract/ingress';
import { Value } from 'typebox/value';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import { systemIds } from '../../kernel/id.ts';
import { makeMetrics } from '../../kernel/telemetry/metrics.ts';
import type { Admitted } from './admission-cache.ts';
import { makeReportUse } from './report-use.ts';
import { makeUseCounts } from './use-counts.ts';

const ofNewApp = () =>
  ({ route: { route_id: systemIds.next() }, instance_id: systemIds.next() }) as unknown as Admitted;
const units = (count: number, at: number): Record<string, number> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`unit-${at}-${index}`, 1]));
const faultsOf = (use: unknown) => [...Value.Errors(AppUseCounts, use)].map(({ message }) => message);

/** Apps are written by tenants, and one report holds the numbers of all of them. */
describe('the numbers that an app gives', () => {
  it.each([
    ['a sum that is too large', [{ tokens: Number.MAX_SAFE_INTEGER }, { tokens: Number.MAX_SAFE_INTEGER }]],
    ['a unit whose name every object has', [{ constructor: 1 }, { constructor: 2 }]],
    ['more units in an hour than a report takes, by an upgrade', [units(12, 0), units(12, 1)]],
  ] as [string, Record<string, number>[]][])('make no report that the api refuses: %s', (_, answers) => {
    const counts = makeUseCounts(systemClock);
    const admitted = ofNewApp();
    for (const each of answers) {
      const tally = counts.begin(admitted);
      tally.units = each;
      counts.end(tally);
    }
    const [use] = counts.changed(10);
    expect(faultsOf(use)).toEqual([]);
    expect(use?.requests).toBe(answers.length);
  });

  it('are left out of the report when they are no counts, and those of other apps are handed in', async () => {
    const counts = makeUseCounts(systemClock);
    const [bad, good] = [ofNewApp(), ofNewApp()];
    const tally = counts.begin(bad);
    tally.bytesIn = Number.NaN;
    counts.end(tally);
    counts.end(counts.begin(good));
    const handedIn: AppUseCounts[] = [];
    const report = makeReportUse({
      counts,
      client: {
        async ask(route: unknown, body: { uses: AppUseCounts[] }) {
          if (route !== appIngressRoutes.reportUse || body.uses.some((use) => faultsOf(use).length > 0)) {
            return { ok: false, code: 'validation_error' };
          }
          handedIn.push(...body.uses);
          return { ok: true, value: { stored: body.uses.length } };
        },
      } as never,
      ...{ ids: systemIds, metrics: makeMetrics('test', '0'), withinMs: 1_000 },
    });
    await report.round(new AbortController().signal);
    expect(handedIn.map(({ route_id }) => route_id)).toEqual([good.route.route_id]);
    expect(counts.changed(10)).toEqual([]);
  });
});
