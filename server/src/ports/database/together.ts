import pg, { type PoolClient, type QueryResult } from 'pg';
import type { Sql } from '../../kernel/act.ts';

/**
 * Statements that are sent in one turn of the event loop travel together: one write to the socket, one Sync, one answer
 * with all results. The driver's own pipeline sends each with a Sync of its own, and at each of them Postgres flushes
 * its answer and wakes us up; for the short statements of a transaction that costs more than the statements do.
 *
 * Up to its Sync a group is all or nothing: after an error Postgres skips the rest of the group, so everything in it
 * fails with that one error. A transaction that was begun in the group then stays open, failed, until it is rolled back.
 */
export function send(client: PoolClient, statement: Sql, values: readonly unknown[] = []): Promise<QueryResult> {
  return new Promise((resolve, reject) => {
    const one = { statement, values, resolve, reject };
    const turn = turns.get(client);
    if (turn) {
      turn.push(one);
      return;
    }
    const opened = [one];
    turns.set(client, opened);
    process.nextTick(() => {
      turns.delete(client);
      dispatch(client, opened);
    });
  });
}

interface Waiting {
  readonly statement: Sql;
  readonly values: readonly unknown[];
  resolve(result: QueryResult): void;
  reject(error: unknown): void;
}
const turns = new WeakMap<PoolClient, Waiting[]>();

/** What the driver has inside and does not declare. */
interface Wire {
  readonly stream: { cork(): void; uncork(): void };
  readonly parsedStatements: Readonly<Record<string, string>>;
  sync(): void;
}
interface Preparable {
  callback: (error: Error | null, results?: QueryResult | QueryResult[]) => void;
  prepare(connection: Wire): void;
}

function dispatch(client: PoolClient, turn: readonly Waiting[]): void {
  const wire = client.connection as unknown as Wire;
  const isKnown = ({ statement }: Waiting) => wire.parsedStatements[statement.name] === statement.text;
  if (turn.length > 1 && turn.every(isKnown)) {
    client.query(new Group(turn));
    return;
  }
  // Alone, or with one that Postgres has not parsed yet on this connection: each with its own Sync, in one write.
  wire.stream.cork();
  for (const { statement, values, resolve, reject } of turn) {
    client.query({ name: statement.name, text: statement.text, values: values as unknown[] }).then(resolve, reject);
  }
  wire.stream.uncork();
}

/** One query to the driver, which collects the results of all statements until the Sync. */
class Group extends pg.Query {
  readonly #turn: readonly Waiting[];
  #unsendable: { readonly error: Error } | undefined;

  constructor(turn: readonly Waiting[]) {
    super({ text: 'a group of prepared statements' });
    this.#turn = turn;
    (this as unknown as Preparable).callback = (error, results) => {
      const found = results === undefined ? [] : Array.isArray(results) ? results : [results];
      const failure = error ?? this.#unsendable?.error ?? new Error('the database answered less than it was asked');
      for (const [index, { resolve, reject }] of turn.entries()) {
        const result = error ? undefined : found[index];
        if (result) resolve(result);
        else reject(failure);
      }
    };
  }

  override submit = (connection: pg.Connection): void => {
    const wire = connection as unknown as Wire;
    const unsynced: Wire = Object.create(wire, { sync: { value: () => undefined } });
    wire.stream.cork();
    try {
      for (const { statement, values } of this.#turn) {
        const part = new pg.Query({ ...statement, values: values as unknown[] }) as unknown as Preparable;
        // Called only when a value cannot be written down; what comes after it must not run.
        part.callback = (error) => {
          if (error) this.#unsendable = { error };
        };
        part.prepare(unsynced);
        if (this.#unsendable) break;
      }
      wire.sync();
    } finally {
      wire.stream.uncork();
    }
  };
}
