import type { Clock } from '../../kernel/clock.ts';
import type { Ids } from '../../kernel/id.ts';
import type { SagaLog } from './attempts.ts';
import type { Sagas } from './port.ts';

interface Common {
  /** How long a silent process is believed to be alive before its work is given to another. */
  readonly leaseMs?: number;
  /** How long `close` waits for attempts in work. */
  readonly closeWithinMs?: number;
}
/** Plain data, so that it can come from the environment or be handed to a child process. */
export type SagasConfig =
  | (Common & {
      readonly kind: 'dbos';
      readonly url: string;
      readonly executorId: string;
      readonly migrate?: boolean;
    })
  | (Common & {
      readonly kind: 'temporal';
      readonly address: string;
      readonly namespace: string;
      readonly taskQueue: string;
    });

/** Loads only the engine that is asked for: the other one's native code stays on disk. */
export async function openSagas(
  config: SagasConfig,
  parts: { readonly clock: Clock; readonly ids: Ids; readonly log: SagaLog },
): Promise<Sagas> {
  if (config.kind === 'dbos') {
    const { openDbosSagas } = await import('./dbos.ts');
    return openDbosSagas({ ...config, ...parts });
  }
  const { openTemporalSagas } = await import('./temporal.ts');
  return openTemporalSagas({ ...config, ...parts });
}
