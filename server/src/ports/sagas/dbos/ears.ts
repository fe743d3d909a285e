import { openListening } from '../../listening.ts';
import type { SagaLog } from '../attempts.ts';

/** Says which lane got a new run. */
export const runsChannel = 'gpuaas_sagas';
const answersChannel = 'dbos_notifications_channel';
const withinMs = 10_000;

/**
 * Hears which lane got a new run and which wait got its answer, so that nobody has to look into queues and mailboxes all
 * the time. What was said while the connection was lost is looked for when it is back.
 */
export async function openEars(parts: {
  readonly url: string;
  readonly log: SagaLog;
  readonly hear: (lane: string) => void;
  /** With the payload that DBOS gives a message: the run and its topic. */
  readonly ring: (payload: string) => void;
  readonly missed: () => void;
}): Promise<{ close(): Promise<void> }> {
  const listening = openListening({
    url: parts.url,
    name: 'gpuaas-sagas-wake',
    channels: [runsChannel, answersChannel],
    heard: (channel, payload) => (channel === runsChannel ? parts.hear(payload) : parts.ring(payload)),
    back: parts.missed,
    log: parts.log,
  });
  try {
    await listening.catchUp(withinMs);
    return listening;
  } catch (error) {
    await listening.close();
    throw error;
  }
}
