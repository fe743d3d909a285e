import type { Metrics } from '../../../kernel/telemetry/metrics.ts';

/** What an operator sees of the jump host. Nothing names a person, a key or an address. */
export interface JumpMetrics {
  countSignIn(): void;
  countRefusal(reason: JumpRefusal): void;
}
export type JumpRefusal =
  | 'address_budget'
  | 'connections'
  | 'slow'
  | 'keys'
  | 'proxy_header'
  | 'signature'
  | 'unknown_key'
  | 'outage'
  | 'api';

export function makeJumpMetrics(
  metrics: Metrics,
  state: { readonly connections: () => number; readonly channels: () => number },
): JumpMetrics {
  const signIns = metrics.counter('gpuaas_jump_sign_ins_total', 'SSH connections that signed in to the jump host.', []);
  const refusals = metrics.counter(
    'gpuaas_jump_door_refusals_total',
    'SSH connections, keys and channels that this copy of the jump host refused, by reason.',
    ['reason'],
  );
  const connections = metrics.gauge('gpuaas_jump_connections', 'SSH connections to the jump host.', []);
  const channels = metrics.gauge('gpuaas_jump_channels', 'Connections to machines through the jump host.', []);
  metrics.onScrape(async () => {
    connections.set(state.connections());
    channels.set(state.channels());
  });
  return {
    countSignIn: () => signIns.inc(),
    countRefusal: (reason) => refusals.inc({ reason }),
  };
}
