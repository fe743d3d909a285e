import { openListening } from '../../listening.ts';
import type { SagaLog } from '../attempts.ts';
import { lettersChannel, runsChannel } from './tables.ts';

const withinMs = 10_000;

/**
 * Hears which lane got a run and which mailbox got a letter, so that no worker polls. What was said while the connection was
 * lost is looked for when it is back.
 */
export async function openEars(parts: {
  readonly url: string;
  readonly log: SagaLog;
  readonly hear: (lane: string) => void;
  /** With the mailbox that got a letter, as `run::topic`. */
  readonly ring: (mailbox: string) => void;
  readonly missed: () => void;
}): Promise<{ close(): Promise<void> }> {
  const listening = openListening({
    url: parts.url,
    name: 'gpuaas-sagas-wake',
    channels: [runsChannel, lettersChannel],
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
