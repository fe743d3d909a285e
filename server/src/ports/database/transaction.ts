import type { PoolClient, QueryResult } from 'pg';
import type { ReadTx, Sql, Viewer } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import { KeyTaken } from '../../kernel/idempotency.ts';

/**
 * Connections run in pipeline mode: a statement is sent the moment it is asked for, and answers come back in order. A
 * transaction therefore sends BEGIN, its settings and the first statement of the work in one go; if the settings are
 * refused (a used idempotency key), Postgres has aborted the transaction and the statement behind them did nothing.
 */
export function send(client: PoolClient, statement: Sql, values: readonly unknown[] = []): Promise<QueryResult> {
  gather(client);
  return client.query({ name: statement.name, text: statement.text, values: values as unknown[] });
}

/**
 * What is sent in one turn leaves in one write. Each write wakes the server's process up, and waking it three times for
 * three statements that belong together costs both sides more than the statements themselves.
 */
const gathering = new WeakSet<object>();
function gather(client: PoolClient): void {
  const { stream } = client.connection;
  if (gathering.has(stream)) return;
  gathering.add(stream);
  stream.cork();
  process.nextTick(() => {
    gathering.delete(stream);
    stream.uncork();
  });
}

/** Something that may fail before anyone looks at it. */
export const quiet = <T>(promise: Promise<T>): Promise<T> => {
  promise.catch(() => undefined);
  return promise;
};

export class OpenTransaction implements ReadTx {
  readonly client: PoolClient;
  readonly begun: Promise<unknown>;
  #ended = false;
  constructor(client: PoolClient, begun: Promise<unknown>) {
    this.client = client;
    this.begun = quiet(begun);
  }
  async ask(statement: Sql, values?: readonly unknown[]): Promise<QueryResult> {
    if (this.#ended) throw new Error(`${statement.name} was sent after its transaction had ended`);
    const answer = quiet(send(this.client, statement, values));
    await this.begun;
    return answer;
  }
  async rows<R>(statement: Sql, values?: readonly unknown[]): Promise<R[]> {
    return (await this.ask(statement, values)).rows as R[];
  }
  end(): void {
    this.#ended = true;
  }
}

export const viewSettings = (who: Viewer, clock: Clock): unknown[] => [
  who.actorId,
  who.reach,
  who.organizationId ?? null,
  who.projectId ?? null,
  clock.now().toISOString(),
];

/** The codes that our own functions raise, and those of Postgres that mean "try again". */
export const sqlState = (error: unknown): string | undefined =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;

export function translate(error: unknown): unknown {
  switch (sqlState(error)) {
    case 'GP208':
      return new KeyTaken('done');
    case 'GP409':
      return new KeyTaken('running');
    default:
      return error;
  }
}
export const mayRetry = (error: unknown): boolean => ['40001', '40P01'].includes(sqlState(error) ?? '');
