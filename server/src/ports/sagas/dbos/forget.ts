import type { DBOSClient } from '@dbos-inc/dbos-sdk';
import type { Clock } from '../../../kernel/clock.ts';
import type { SagaLog } from '../attempts.ts';

const pageSize = 200;
const roundMs = 10 * 60_000;

/**
 * Deletes the records of runs that ended before the given moment; their ids may then be used again. Stuck runs have not
 * ended: they are kept until an operator has dealt with them.
 */
export async function forgetEnded(client: DBOSClient, before: Date): Promise<void> {
  for (;;) {
    const page = await client.listWorkflows({
      status: 'SUCCESS',
      completedBefore: before.toISOString(),
      loadInput: false,
      loadOutput: false,
      limit: pageSize,
    });
    if (page.length > 0) await client.deleteWorkflows(page.map(({ workflowID }) => workflowID));
    if (page.length < pageSize) return;
  }
}

/** Forgets from time to time, until closed. Several processes may do so at once. */
export function openForgetting(parts: {
  readonly client: DBOSClient;
  readonly keepMs: number;
  readonly clock: Clock;
  readonly log: SagaLog;
}): { close(): Promise<void> } {
  const closing = new AbortController();
  const rounds = async () => {
    while (!closing.signal.aborted) {
      try {
        await forgetEnded(parts.client, new Date(parts.clock.now().getTime() - parts.keepMs));
      } catch (error) {
        parts.log.warn({ error: String(error) }, 'could not delete the records of old saga runs');
      }
      await parts.clock.sleep(roundMs, closing.signal).catch(() => undefined);
    }
  };
  const forgetting = rounds();
  return {
    async close() {
      closing.abort(new Error('closing'));
      await forgetting;
    },
  };
}
