import { Client } from 'pg';
import type { Clock } from '../../kernel/clock.ts';
import type { SagaLog } from './attempts.ts';

/** Says which lane got a new run. */
export const runsChannel = 'gpuaas_sagas';
/** How long to pause before a lost connection is made again. */
const againMs = 1_000;

/**
 * Hears which lane got a new run and which wait got its answer, so that nobody has to look into queues and mailboxes all
 * the time. What was said while the connection was lost is looked for when it is back.
 */
export async function openEars(parts: {
  readonly url: string;
  readonly clock: Clock;
  readonly log: SagaLog;
  readonly hear: (lane: string) => void;
  /** With the payload that DBOS gives a message: the run and its topic. */
  readonly ring: (payload: string) => void;
  readonly missed: () => void;
}): Promise<{ close(): Promise<void> }> {
  const closing = new AbortController();
  let client: Client | undefined;
  /** Resolves once it listens; `lost` resolves when it does so no longer. */
  const connect = async () => {
    const opened = new Client({ connectionString: parts.url, application_name: 'gpuaas-sagas-wake', keepAlive: true });
    client = opened;
    const lost = new Promise<void>((resolve) => {
      opened.on('error', () => resolve());
      opened.on('end', () => resolve());
    });
    opened.on('notification', ({ channel, payload = '' }) => {
      if (channel === runsChannel) parts.hear(payload);
      else parts.ring(payload);
    });
    await opened.connect();
    await opened.query(`listen ${runsChannel}`);
    await opened.query('listen dbos_notifications_channel');
    return { lost };
  };
  const listen = async (first: { readonly lost: Promise<void> }) => {
    let connection: { readonly lost: Promise<void> } | undefined = first;
    while (!closing.signal.aborted) {
      await connection?.lost;
      if (closing.signal.aborted) return;
      parts.log.warn({}, 'the connection for wake-ups of sagas was lost');
      await parts.clock.sleep(againMs, closing.signal).catch(() => undefined);
      if (closing.signal.aborted) return;
      connection = await connect().catch(() => undefined);
      if (connection) parts.missed();
    }
  };
  const listening = listen(await connect());
  return {
    async close() {
      closing.abort(new Error('closing'));
      await client?.end().catch(() => undefined);
      await listening;
    },
  };
}
