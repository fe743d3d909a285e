import type { Clock } from '../../kernel/clock.ts';
import type { Ids } from '../../kernel/id.ts';
import type { Adapted } from '../adapter.ts';
import type { SagaLog } from './attempts.ts';
import type { Sagas } from './port.ts';
import type { PostgresSagasConfig } from './postgres/postgres.ts';
import type { TemporalSagasConfig } from './temporal/temporal.ts';

interface Parts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: SagaLog;
}
/** Plain data, so that it can come from the environment or be handed to a child process. */
export type SagasConfig =
  | ({ readonly kind: 'postgres' } & Omit<PostgresSagasConfig, keyof Parts>)
  | ({ readonly kind: 'temporal' } & Omit<TemporalSagasConfig, keyof Parts>);

/** Loads only the engine that is asked for: the other one's native code stays on disk. */
export async function openSagas(config: SagasConfig, parts: Parts): Promise<Sagas & Adapted> {
  if (config.kind === 'postgres') {
    const { openPostgresSagas } = await import('./postgres/postgres.ts');
    return openPostgresSagas({ ...config, ...parts });
  }
  const { openTemporalSagas } = await import('./temporal/temporal.ts');
  return openTemporalSagas({ ...config, ...parts });
}
