import { streams as contractStreams } from '@gpuaas/contract';
import type { Clock } from '../../kernel/clock.ts';
import type { Adapted } from '../adapter.ts';
import type { BusLog } from './log.ts';
import { type NatsBusOptions, openNatsBus } from './nats/nats.ts';
import type { Bus } from './port.ts';
import { openPostgresBus, type PostgresBusOptions } from './postgres/postgres.ts';
import type { StreamPlans } from './subjects.ts';

type Chosen<Options> = Omit<Options, 'log' | 'clock' | 'ids' | 'streams'> & { readonly streams?: StreamPlans };

/** Which bus, and where. Whatever a deployment says beyond the address has a default. */
export type BusConfig =
  | ({ readonly kind: 'postgres' } & Chosen<PostgresBusOptions>)
  | ({ readonly kind: 'nats' } & Chosen<NatsBusOptions>);

export function openBus(
  config: BusConfig,
  parts: { readonly log: BusLog; readonly clock?: Clock },
): Promise<Bus & Adapted> {
  const streams = config.streams ?? contractStreams;
  return config.kind === 'nats'
    ? openNatsBus({ ...config, ...parts, streams })
    : openPostgresBus({ ...config, ...parts, streams });
}
