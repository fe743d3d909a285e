import pg from 'pg';
import { type ReadTx, sql, type Viewer } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Ids } from '../../kernel/id.ts';
import type { Log } from '../../kernel/telemetry/log.ts';
import { makeAuditSealer } from './audit-sealer.ts';
import { makeLeases } from './leases/leases.ts';
import { commitChannel, makeOutboxLog } from './outbox-log.ts';
import type { DatabasePort } from './port.ts';
import { makeStoredReplies } from './stored-replies.ts';
import { makeConversations, OpenTransaction, types, viewSettings } from './transaction.ts';
import { makeListener } from './wire/listen.ts';
import { actLook } from './wire/statements.ts';
import { makeWakeUps } from './wire/wake-ups.ts';
import { makeWrite } from './write.ts';

const ping = sql('ping', 'select 1 as one');
/**
 * What ends a transaction whose client is gone without a goodbye: its machine, or its mind. The first setting exists
 * from PostgreSQL 17 on.
 */
const lastResorts = sql(
  'last-resorts',
  `select set_config(name, value, false) from pg_settings join (values
     ('transaction_timeout', '300s'), ('tcp_keepalives_idle', '10'), ('tcp_keepalives_interval', '5'),
     ('tcp_keepalives_count', '3')) resort (name, value) using (name)`,
);

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
  // The pool handles errors of idle connections only; one that is cut while in use must not end the process.
  pool.on('connect', (client) => {
    client.on('error', (error) => log.warn({ err: error }, 'a database connection was lost while in use'));
    client.query(lastResorts).catch((error: unknown) => log.warn({ err: error }, 'a connection has no last resort'));
  });
  pool.on('error', (error) => log.warn({ err: error }, 'an idle database connection was lost'));
  const conversations = makeConversations(pool);
  const listener = makeListener({ url, log });

  // NOTIFY inside a transaction makes all commits of the server queue behind one lock. So the wake-up follows the
  // commit. Should it get lost with the process, the relay's slow poll finds the events.
  const wakeUps = makeWakeUps({ pool, log });
  const notify = (channel: string) => wakeUps.send([{ channel, what: '' }]);
  const onEvents = () => notify(commitChannel);

  async function read<T>(who: Viewer, work: (tx: ReadTx) => Promise<T>): Promise<T> {
    const { conversation, giveBack } = await conversations.begin();
    const tx = new OpenTransaction(conversation, conversation.ask(actLook, viewSettings(who, clock)));
    try {
      return await work(tx);
    } finally {
      tx.end();
      // Nobody waits for the end of a read: the connection goes back once Postgres has said goodbye. `act_look` has made
      // the transaction one that cannot write, so committing it and undoing it are the same.
      conversation.leave().then(
        () => giveBack(true),
        () => giveBack(false),
      );
    }
  }

  return {
    database: { read, write: makeWrite({ conversations, clock, ids, onEvents, onWakes: wakeUps.send }) },
    outbox: makeOutboxLog({ url, pool, clock, listen: listener.listen }),
    unaudited: { rows: async (statement, values) => (await pool.query({ ...statement, values: [...values] })).rows },
    leases: makeLeases({ url, log }),
    replies: makeStoredReplies({ pool, clock }),
    sealer: makeAuditSealer({ pool }),
    listen: listener.listen,
    notify,
    async check() {
      await pool.query(ping);
    },
    async close() {
      await listener.close();
      await wakeUps.close();
      conversations.close();
      await pool.end();
    },
  };
}
