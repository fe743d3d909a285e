import type { NodeSample, NodeTelemetryAnswer } from '@gpuaas/contract/node';
import type { Clock } from '../../kernel/clock.ts';
import type { Metrics } from '../../kernel/telemetry/metrics.ts';
import { hourMs } from '../../kernel/units.ts';
import type { Policies } from '../policy/index.ts';
import { aheadMs } from './facts.ts';
import type { TelemetryPoints } from './points-store.ts';

/** Takes the samples of a node that proved who it is. The database decides whose they are. */
export function makeTakeSamples(parts: {
  readonly points: TelemetryPoints;
  readonly policies: Pick<Policies, 'number'>;
  readonly clock: Clock;
  readonly metrics: Metrics;
}) {
  const counted = parts.metrics.counter('gpuaas_telemetry_samples_total', 'Samples of nodes, by what became of them.', [
    'outcome',
  ]);
  return async (nodeId: string, samples: readonly NodeSample[]): Promise<NodeTelemetryAnswer> => {
    const nowMs = parts.clock.now().getTime();
    const within = {
      oldest: new Date(nowMs - parts.policies.number('telemetry.fine_hours') * hourMs),
      newest: new Date(nowMs + aheadMs),
    };
    const stored = await parts.points.record(nodeId, samples, within);
    const refused = Math.max(0, samples.length - stored);
    counted.inc({ outcome: 'stored' }, stored);
    counted.inc({ outcome: 'refused' }, refused);
    return { stored, refused };
  };
}
