import type { Clock } from '../../kernel/clock.ts';
import type { BusLog } from './log.ts';
import type { BusConfig } from './open.ts';
import type { BusDepths } from './port.ts';

/** Opens a small connection of its own on first use. */
export function makeBusDepths(config: BusConfig, parts: { readonly log: BusLog; readonly clock?: Clock }): BusDepths {
  let opened: Promise<BusDepths> | undefined;
  const open = async (): Promise<BusDepths> => {
    if (config.kind === 'nats') return (await import('./nats/depths-nats.ts')).openNatsDepths(config);
    return (await import('./postgres/depths-postgres.ts')).openPostgresDepths(config, parts.log);
  };
  return {
    async read() {
      opened ??= open().catch((error: unknown) => {
        // A bus that was away may be back when the next one asks.
        opened = undefined;
        throw error;
      });
      return (await opened).read();
    },
    close: async () => (await opened?.catch(() => undefined))?.close(),
  };
}
