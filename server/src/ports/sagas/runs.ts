import type { Clock } from '../../kernel/clock.ts';
import type { SagaLog } from './attempts.ts';
import type { SagasConfig } from './open.ts';
import type { SagaRuns } from './port.ts';

interface Parts {
  readonly clock: Clock;
  readonly log: SagaLog;
}

/** Loads the engine's driver on first use. */
export function makeSagaRuns(config: SagasConfig, parts: Parts): SagaRuns {
  let opened: Promise<SagaRuns> | undefined;
  const open = async (): Promise<SagaRuns> => {
    if (config.kind === 'postgres')
      return (await import('./postgres/runs-postgres.ts')).openPostgresRuns(config.url, parts);
    return (await import('./temporal/runs-temporal.ts')).openTemporalRuns(config, parts);
  };
  const reader = () => {
    opened ??= open().catch((error: unknown) => {
      // An engine that was away may be back when the next one asks.
      opened = undefined;
      throw error;
    });
    return opened;
  };
  return {
    list: async (wanted) => (await reader()).list(wanted),
    find: async (saga, id) => (await reader()).find(saga, id),
    retry: async (saga, id, order) => (await reader()).retry(saga, id, order),
    cancel: async (saga, id, order) => (await reader()).cancel(saga, id, order),
    close: async () => (await opened?.catch(() => undefined))?.close(),
  };
}
