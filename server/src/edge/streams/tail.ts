import { type Database, sql, type Viewer } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/telemetry/log.ts';

/**
 * New events for all watchers of a process. One query per commit reads the events of every watched organization and
 * hands them to its followers: a busy tenant costs the watchers of a quiet one nothing, and a second watcher costs no
 * second query. The tail keeps little; a follower that comes late or falls behind finds a gap and reads the log itself.
 */
export interface Tail {
  follow(organizationId: string | 'anybody'): Follower;
  close(): Promise<void>;
}
export interface Follower {
  /** The next round with events for a reader who has read everything below the given transaction. */
  next(readBelow: string): Promise<Round | 'gap' | 'over'>;
  close(): void;
}
/** Events of the transactions from one up to another, in order. */
export interface Round {
  readonly from: bigint;
  readonly to: bigint;
  readonly events: readonly TailEvent[];
}
export interface TailEvent {
  readonly position: string;
  readonly transactionId: string;
  readonly organizationId: string | null;
  readonly projectId: string | null;
  readonly key: string;
  readonly type: string;
  /** The envelope as JSON. */
  readonly envelope: string;
}

// The range is searched for in the index of transactions alone, and what it is compared with is hidden from the planner: it
// would plan anew each time, in the hope of a better plan for another number.
const look = sql(
  'stream-tail',
  `with h as materialized (
     select pg_snapshot_xmin(pg_current_snapshot()) as xid
   )
   select h.xid::text as horizon, exists (
       select from outbox_events l where mine(l.organization_id) and l.transaction_id >= h.xid
     ) as more, e.*
   from h left join lateral (
     select o.position::text as position, o.transaction_id::text as "transactionId",
       o.organization_id::text as "organizationId", o.envelope ->> 'project_id' as "projectId", o.key,
       o.subject as type, o.envelope::text as envelope, o.position as place
     from outbox_events o
     where mine(o.organization_id) and ($2::boolean or o.organization_id = any ($3::uuid[]))
       and o.transaction_id >= (select $1::text::xid8) and o.transaction_id < h.xid
     order by o.position + 0 limit $4
   ) e on true
   order by e.place`,
);
type Row = { readonly horizon: string; readonly more: boolean } & (TailEvent | { readonly position: null });

/** An event is shown when every transaction that began before it has ended; this is the delay before the next query. */
const retryMs = 10;
/** In case a wake-up was lost. */
const everyMs = 5_000;
/** More than this at once, or waiting for one follower, and it is read from the log. */
const mostEvents = 500;

export async function openTail(parts: {
  readonly db: Database;
  readonly who: Viewer;
  readonly onCommit: (listener: () => void) => Promise<{ close(): Promise<void> }>;
  readonly clock: Clock;
  readonly log: Log;
}): Promise<Tail> {
  const { db, who, clock } = parts;
  const stopping = new AbortController();
  const followers = new Set<ReturnType<typeof makeFollower>>();
  let woken = Promise.withResolvers<void>();
  // Every commit rings here; without watchers it is ignored.
  const listening = await parts.onCommit(() => {
    if (followers.size > 0) woken.resolve();
  });
  /** Everything below this transaction was handed out. */
  let handedOut: bigint | undefined;

  async function round(): Promise<'more' | 'idle'> {
    const asking = [...followers];
    const organizations = new Set(asking.map(({ organizationId }) => organizationId));
    const rows = await db.read(who, (tx) =>
      tx.rows<Row>(look, [
        handedOut === undefined ? null : String(handedOut),
        organizations.has('anybody'),
        [...organizations].filter((each) => each !== 'anybody'),
        mostEvents,
      ]),
    );
    const [first] = rows;
    if (!first) return 'idle';
    const to = BigInt(first.horizon);
    const events = rows.filter((row): row is Row & TailEvent => row.position !== null);
    const from = handedOut;
    handedOut = to;
    // The first query only finds the end.
    const isWhole = from !== undefined && events.length < mostEvents;
    for (const follower of asking) {
      if (isWhole) follower.hand({ from, to, events });
      else follower.pass(to);
    }
    return first.more ? 'more' : 'idle';
  }
  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) {
      const wakened = woken.promise;
      if (followers.size === 0) {
        // Without watchers nothing is queried, and the start position is determined anew later.
        handedOut = undefined;
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
    follow(organizationId) {
      const follower = makeFollower(organizationId, () => followers.delete(follower));
      followers.add(follower);
      woken.resolve();
      return follower;
    },
    async close() {
      stopping.abort(new Error('the process is stopping'));
      woken.resolve();
      for (const follower of [...followers]) follower.close();
      await listening.close();
      await running;
    },
  };
}

export function makeFollower(organizationId: string | 'anybody', leave: () => void) {
  /** From this transaction on nothing was missed: what is not among the waiting rounds was not for this follower. */
  let since: bigint | undefined;
  let waiting: Round[] = [];
  let isOver = false;
  let changed = Promise.withResolvers<void>();
  const change = () => {
    changed.resolve();
    changed = Promise.withResolvers<void>();
  };
  /** Everything up to here was not handed over. */
  const pass = (to: bigint) => {
    since = to;
    waiting = [];
    change();
  };
  return {
    organizationId,
    pass,
    hand(round: Round): void {
      const events =
        organizationId === 'anybody'
          ? round.events
          : round.events.filter((event) => event.organizationId === organizationId);
      if (waiting.reduce((sum, each) => sum + each.events.length, events.length) > mostEvents) pass(round.to);
      else if (since === undefined || events.length > 0) {
        since ??= round.from;
        waiting.push({ ...round, events });
        change();
      }
    },
    async next(readBelow: string): Promise<Round | 'gap' | 'over'> {
      const at = BigInt(readBelow);
      for (;;) {
        if (isOver) return 'over';
        if (since !== undefined && since > at) return 'gap';
        const round = waiting.shift();
        if (round && round.to > at) return round;
        if (!round) await changed.promise;
      }
    },
    close(): void {
      isOver = true;
      leave();
      change();
    },
  };
}
