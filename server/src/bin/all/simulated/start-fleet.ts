import { join } from 'node:path';
import { systemClock } from '../../../kernel/clock.ts';
import type { Log } from '../../../kernel/telemetry/log.ts';
import type { LocalAccounts } from '../accounts.ts';
import { keepToken, makeCaller } from '../caller.ts';
import type { FleetDesk } from './fleet-desk.ts';
import { type FleetSize, planFleet } from './fleet-plan.ts';
import { onboardFleet } from './onboarding.ts';
import { openSimulatedFleet } from './simulated-fleet.ts';

/** How long a start waits for its hosts; the rest come into service while people look around. */
const patienceMs = 4_000;

export interface RunningFleet {
  readonly hosts: number;
  /** How many of them had been brought into service when the start went on. */
  readonly ready: number;
  close(): Promise<void>;
}

/** Opens the hosts of the data folder, adds those that the plan has beyond them, and brings all into service. */
export async function startFleet(spec: {
  readonly dataDir: string;
  readonly size: FleetSize;
  readonly speed: number;
  readonly gpuTimeSpeed: number;
  readonly desk: FleetDesk;
  readonly doorUrl: URL;
  readonly apiUrl: string;
  readonly accounts: LocalAccounts;
  readonly log: Log;
}): Promise<RunningFleet> {
  const { log } = spec;
  const fleet = await openSimulatedFleet({
    folder: join(spec.dataDir, 'fleet'),
    pace: { speed: spec.speed },
    gpuTimeSpeed: spec.gpuTimeSpeed,
    doorUrl: spec.doorUrl,
    log,
  });
  const leaving = new AbortController();
  try {
    await fleet.grow(planFleet(spec.size));
    spec.desk.attend(fleet);
    const call = makeCaller(
      spec.apiUrl,
      keepToken(() => spec.accounts.tokenFor('operator')),
    );
    let ready = 0;
    const onboarding = onboardFleet({
      fleet,
      call,
      log,
      signal: leaving.signal,
      gpuTimeSpeed: spec.gpuTimeSpeed,
      onReady: () => {
        ready += 1;
      },
    }).catch((error: unknown) => {
      if (!leaving.signal.aborted) log.error({ err: error }, 'the simulated fleet could not be brought into service');
    });
    const waited = new AbortController();
    await Promise.race([onboarding, systemClock.sleep(patienceMs, waited.signal).catch(() => undefined)]);
    waited.abort();
    return {
      hosts: fleet.members.length,
      ready,
      async close() {
        leaving.abort(new Error('The fleet is closing.'));
        await onboarding;
        await fleet.close();
      },
    };
  } catch (error) {
    leaving.abort(error);
    await fleet.close();
    throw error;
  }
}
