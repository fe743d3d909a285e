import { makeCaller } from '../../server/src/bin/all/caller.ts';
import { onboardFleet } from '../../server/src/bin/all/simulated/onboarding.ts';
import { openSimulatedFleet } from '../../server/src/bin/all/simulated/simulated-fleet.ts';
import { silentLog } from '../../server/src/kernel/telemetry/log.ts';

export interface FleetOrder {
  readonly folder: string;
  readonly url: string;
  readonly doorUrl: string;
  readonly token: string;
  readonly nodes: number;
}

/**
 * Hosts with real agents in a process of their own: they enrol, hold certificates and verify every task, and the host
 * beneath them takes no time at all.
 */
export async function openFleet(order: FleetOrder): Promise<{ readonly nodes: number }> {
  const fleet = await openSimulatedFleet({
    folder: order.folder,
    pace: { speed: Number.POSITIVE_INFINITY },
    doorUrl: new URL(order.doorUrl),
    log: silentLog,
    hostsAreForgotten: true,
  });
  await fleet.grow(
    Array.from({ length: order.nodes }, (_, index) => ({
      ...{ name: `bench-${index + 1}`, region: 'local', sku: 'h200-sxm-slice', model: 'H200' as const },
    })),
  );
  let ready = 0;
  await onboardFleet({
    ...{ fleet, log: silentLog, signal: new AbortController().signal, betweenRoundsMs: 500, answerWithinMs: 30_000 },
    call: makeCaller(order.url, async () => order.token),
    onReady: () => {
      ready += 1;
    },
  });
  return { nodes: ready };
}
