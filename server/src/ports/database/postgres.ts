import pg from 'pg';
import { type ReadTx, sql, type Viewer } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Ids } from '../../kernel/id.ts';
import type { Log } from '../../kernel/log.ts';
import { makeAuditSealer } from './audit-sealer.ts';
import { makeListener } from './listen.ts';
import { commitChannel, makeOutboxLog } from './outbox-log.ts';
import type { DatabasePort } from './port.ts';
import { makeSightings } from './sightings.ts';
import { actView, beginRead, commit } from './statements.ts';
import { makeStoredReplies } from './stored-replies.ts';
import { OpenTransaction, quiet, send, viewSettings } from './transaction.ts';
import { makeWakeUps } from './wake-ups.ts';
import { makeWrite } from './write.ts';

const ping = sql('ping', 'select 1 as one');
const notifyCommit = sql('notify-commit', 'select pg_notify($1, $2)');

// Counts and sums arrive as bigint; nothing of ours fits into a double by luck. Only on our own connections: other
// libraries in this process have their own idea of numbers.
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => (oid === pg.types.builtins.INT8 ? BigInt : pg.types.getTypeParser(oid, format)),
};

/** PostgreSQL by URL. The embedded server is reached through here too: one adapter talks, two ways to have a server. */
export async function openPostgres(parts: {
  readonly url: string;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly name: string;
  readonly poolSize: number;
}): Promise<DatabasePort> {
  const { url, clock, ids, log } = parts;
  const pool = new pg.Pool({
    connectionString: url,
    max: parts.poolSize,
    application_name: `gpuaas ${parts.name}`,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 60_000,
    // A statement that runs away, or a transaction that nobody ends, must not hold its locks for ever.
    statement_timeout: 30_000,
    idle_in_transaction_session_timeout: 60_000,
    keepAlive: true,
    pipeline: true,
    types,
  } as pg.PoolConfig);
  // The pool listens to idle connections only; one that is cut while somebody uses it must not end the process.
  pool.on('connect', (client) =>
    client.on('error', (error) => log.warn({ err: error }, 'a database connection was lost while in use')),
  );
  pool.on('error', (error) => log.warn({ err: error }, 'an idle database connection was lost'));
  const listener = makeListener({ url, clock, log });

  // NOTIFY inside a transaction makes all commits of the server queue behind one lock. So the wake-up follows the
  // commit, and one is enough for all commits that happen while it is under way. Should it get lost with the process,
  // the relay's slow poll finds the events.
  let waking: Promise<void> | undefined;
  let again = false;
  const onEvents = () => {
    if (waking) {
      again = true;
      return;
    }
    waking = pool
      .query({ ...notifyCommit, values: [commitChannel, ''] })
      .then(
        () => undefined,
        (error: unknown) => log.warn({ err: error }, 'the relay could not be woken; it will look by itself'),
      )
      .finally(() => {
        waking = undefined;
        if (again) {
          again = false;
          onEvents();
        }
      });
  };

  const wakeUps = makeWakeUps({ pool, log });

  async function read<T>(who: Viewer, work: (tx: ReadTx) => Promise<T>): Promise<T> {
    const client = await pool.connect();
    const begun = Promise.all([quiet(send(client, beginRead)), quiet(send(client, actView, viewSettings(who, clock)))]);
    const tx = new OpenTransaction(client, begun);
    try {
      return await work(tx);
    } finally {
      tx.end();
      // Nobody waits for the end of a read: the connection goes back once Postgres has said goodbye.
      send(client, commit).then(
        () => client.release(),
        (error: Error) => client.release(error),
      );
    }
  }

  return {
    database: { read, write: makeWrite({ pool, clock, ids, onEvents, onWakes: wakeUps.send }) },
    outbox: makeOutboxLog({ url, pool, clock, listen: listener.listen }),
    sightings: makeSightings(pool),
    replies: makeStoredReplies({ pool, clock }),
    sealer: makeAuditSealer({ pool }),
    listen: listener.listen,
    notify: (channel) => {
      pool
        .query({ ...notifyCommit, values: [channel, ''] })
        .catch((error: unknown) =>
          log.warn({ err: error, channel }, 'listeners could not be woken; they will look by themselves'),
        );
    },
    async check() {
      await pool.query(ping);
    },
    async close() {
      await listener.close();
      await waking;
      await wakeUps.close();
      await pool.end();
    },
  };
}
