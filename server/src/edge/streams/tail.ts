import { type Database, sql, type Viewer } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';

/**
 * Wakes those who watch. One look per commit and process finds out which organizations have news, so that a busy tenant
 * costs the watchers of a quiet one nothing. The tail carries no events: each watcher reads for itself, at its own
 * pace, as itself.
 */
export interface Tail {
  /** Resolves when the organization, or anybody, has news that was committed after this call. */
  news(organizationId: string | 'anybody'): Promise<void>;
  close(): Promise<void>;
}

const look = sql(
  'stream-tail',
  `select h.xid::text as horizon,
     (select coalesce(array_agg(distinct coalesce(organization_id::text, '')), '{}') from outbox_events
      where mine(organization_id) and transaction_id >= $1::text::xid8 and transaction_id < h.xid) as organizations,
     exists (select from outbox_events where mine(organization_id) and transaction_id >= h.xid) as more
   from (select pg_snapshot_xmin(pg_current_snapshot()) as xid) h`,
);
/** An event is shown when every transaction that began before it is over; this is how soon to look again. */
const retryMs = 10;
/** In case a wake-up was lost. */
const everyMs = 5_000;

export async function openTail(parts: {
  readonly db: Database;
  readonly who: Viewer;
  readonly onCommit: (listener: () => void) => Promise<{ close(): Promise<void> }>;
  readonly clock: Clock;
  readonly log: Log;
}): Promise<Tail> {
  const { db, who, clock } = parts;
  const stopping = new AbortController();
  const watchers = new Map<string, PromiseWithResolvers<void>>();
  let woken = Promise.withResolvers<void>();
  // Every commit of the product rings here; with nobody watching it is not worth getting up.
  const listening = await parts.onCommit(() => {
    if (watchers.size > 0) woken.resolve();
  });
  let from: string | undefined;

  async function round(): Promise<'more' | 'idle'> {
    const [row] = await db.read(who, (tx) =>
      tx.rows<{ horizon: string; organizations: string[]; more: boolean }>(look, [from ?? '0']),
    );
    if (!row) return 'idle';
    // The first look only finds out where the end is. Whoever waits may have read before that, and looks again.
    const talking = row.organizations.length > 0 ? [...row.organizations, 'anybody'] : [];
    for (const organization of from === undefined ? [...watchers.keys()] : talking) wake(organization);
    from = row.horizon;
    return row.more ? 'more' : 'idle';
  }
  function wake(organization: string): void {
    watchers.get(organization)?.resolve();
    watchers.delete(organization);
  }
  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) {
      const wakened = woken.promise;
      if (watchers.size === 0) {
        // With nobody watching there is nothing to look for, and the place to look from is found anew.
        from = undefined;
        await wakened;
        woken = Promise.withResolvers<void>();
        continue;
      }
      const pauseMs = await round().then(
        (outcome) => (outcome === 'more' ? retryMs : everyMs),
        (error: unknown) => {
          parts.log.warn({ err: error }, 'the tail of the events could not be read; trying again');
          return everyMs;
        },
      );
      const timer = new AbortController();
      const pause = clock.sleep(pauseMs, AbortSignal.any([stopping.signal, timer.signal])).catch(() => undefined);
      await (pauseMs === retryMs ? pause : Promise.race([pause, wakened]));
      timer.abort();
      woken = Promise.withResolvers<void>();
    }
  }
  const running = loop();
  return {
    news(organizationId) {
      let waiting = watchers.get(organizationId);
      if (!waiting) {
        waiting = Promise.withResolvers<void>();
        watchers.set(organizationId, waiting);
        if (from === undefined) woken.resolve();
      }
      return waiting.promise;
    },
    async close() {
      stopping.abort(new Error('the process is stopping'));
      woken.resolve();
      for (const organization of [...watchers.keys()]) wake(organization);
      await listening.close();
      await running;
    },
  };
}
