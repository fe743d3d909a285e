import type { Clock } from '../../kernel/clock.ts';
import type { Reconciler } from '../../kernel/process/reconciler.ts';
import { dayMs, hourMs } from '../../kernel/units.ts';
import type { Policies } from '../policy/index.ts';
import { prunedAtOnce, rolledAtOnce, settleMs } from './facts.ts';
import type { TelemetryPoints } from './points-store.ts';

/** Makes coarse points of fine ones and removes what is older than its time, a bounded number in each round. */
export const makeTelemetryUpkeep = (parts: {
  readonly points: TelemetryPoints;
  readonly policies: Pick<Policies, 'number'>;
  readonly clock: Clock;
}): Reconciler => ({
  name: 'telemetry-upkeep',
  async round() {
    const nowMs = parts.clock.now().getTime();
    const rolled = await parts.points.roll(new Date(nowMs - settleMs), rolledAtOnce);
    const old = {
      fineBefore: new Date(nowMs - parts.policies.number('telemetry.fine_hours') * hourMs),
      coarseBefore: new Date(nowMs - parts.policies.number('telemetry.coarse_days') * dayMs),
    };
    const gone = await parts.points.prune(old, prunedAtOnce);
    return rolled === rolledAtOnce || gone >= prunedAtOnce ? 'more' : 'idle';
  },
});
