import pg, { type PoolClient } from 'pg';
import type { Sql } from '../../../kernel/act.ts';
import { asSent, Frames } from './frames.ts';

/**
 * A transaction without a word for its begin and its end.
 *
 * What a client says up to one Sync is one transaction to PostgreSQL, and Sync commits it. A Flush hands out the answers
 * so far and ends nothing. So the settings, the statements of the work and the last call follow each other with a Flush wherever the caller waits for an answer, and one Sync at the end. Compared with BEGIN, COMMIT and a Sync behind every
 * statement this saves two statements, and on both sides most of the writes and wake-ups.
 *
 * After an error PostgreSQL ignores everything up to the Sync and commits nothing. To undo what has not failed, BEGIN
 * makes a named transaction of the one that is running, and ROLLBACK ends it.
 *
 * `pg` sees one long query: it hands us its messages, and knows that the connection is taken until the Sync is answered.
 */
export interface Answer {
  readonly rows: unknown[];
  readonly rowCount: number;
}

interface Shape {
  readonly names: readonly string[];
  readonly readers: readonly ((text: string) => unknown)[];
}
interface Asked {
  readonly statement: Sql;
  readonly rows: unknown[];
  shape: Shape | undefined;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}
/** What of `pg` we rely on and its types do not tell. */
interface Connection extends pg.Connection {
  /** Names of statements that the server knows, and of those that are on their way to it. */
  readonly parsedStatements: Record<string, string>;
  readonly submittedNamedStatements: Record<string, string>;
}
interface Field {
  readonly name: string;
  readonly dataTypeID: number;
}

const begin: Sql = { name: 'undo-begin', text: 'begin' };
const rollback: Sql = { name: 'undo-rollback', text: 'rollback' };
const noColumns: Shape = { names: [], readers: [] };

/**
 * What a connection keeps from one conversation to the next. The answers to a statement have the same columns for as
 * long as the server remembers it, so they are asked for once.
 */
interface Desk {
  readonly frames: Frames;
  readonly shapes: Map<string, Shape>;
}
const desks = new WeakMap<object, Desk>();
function deskOf(connection: object): Desk {
  const known = desks.get(connection);
  if (known) return known;
  const fresh = { frames: new Frames(), shapes: new Map() };
  desks.set(connection, fresh);
  return fresh;
}

export class Conversation extends pg.Query {
  readonly #connection: Connection;
  readonly #types: pg.CustomTypesConfig;
  readonly #desk: Desk;
  readonly #end = Promise.withResolvers<void>();
  readonly #asked: Asked[] = [];
  #gathering = false;
  #ending = false;
  #failure: { readonly error: unknown } | undefined;
  #lastWordAt = performance.now();
  /** The statement whose answer comes next: `pg` notes by these which ones the server knows. */
  declare name: string | undefined;
  declare text: string;

  constructor(client: PoolClient, types: pg.CustomTypesConfig) {
    super({ text: '' });
    this.#connection = client.connection as Connection;
    this.#types = types;
    this.#desk = deskOf(client.connection);
    this.#end.promise.catch(() => undefined);
    this.submit = () => null;
    client.query(this);
  }

  /** For how long nobody has said anything although it is our turn. */
  silentMs(): number {
    return this.#asked.length > 0 || this.#ending ? 0 : performance.now() - this.#lastWordAt;
  }

  ask(statement: Sql, values: readonly unknown[] = []): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.#failure) throw this.#failure.error;
      if (this.#ending) throw new Error(`${statement.name} was sent after its transaction had ended`);
      const { name, text } = statement;
      const { parsedStatements, submittedNamedStatements } = this.#connection;
      const known = parsedStatements[name] ?? submittedNamedStatements[name];
      if (known !== undefined && known !== text) throw new Error(`there are two statements with the name ${name}`);
      const sent = values.map(asSent);
      const { frames, shapes } = this.#desk;
      if (known === undefined) {
        frames.parse(name, text);
        submittedNamedStatements[name] = text;
      }
      frames.bind(name, sent);
      const shape = shapes.get(name);
      if (!shape) frames.describe();
      frames.execute();
      this.#asked.push({ statement, rows: [], shape, resolve, reject });
      if (this.#asked.length === 1) this.#expect(statement);
      this.#gather();
    });
  }

  /** Makes everything that was asked durable. Rejects if anything failed, and then nothing has happened. */
  async commit(): Promise<void> {
    this.#sync();
    await this.#end.promise;
  }

  /** Undoes everything. Rejects only if the connection is lost, which undoes it too. */
  async rollback(): Promise<void> {
    if (!this.#failure && !this.#ending) {
      this.ask(begin).catch(() => undefined);
      this.ask(rollback).catch(() => undefined);
    }
    await this.leave();
  }

  /** Ends what only read: there is nothing to undo. Rejects only if the connection is lost. */
  async leave(): Promise<void> {
    this.#sync();
    await this.#end.promise.catch((error: unknown) => {
      if (!isRefusal(error)) throw error;
    });
  }

  /** What is said in one turn leaves in one write. */
  #gather(): void {
    if (this.#gathering) return;
    this.#gathering = true;
    process.nextTick(() => {
      if (this.#gathering && !this.#failure) this.#send('flush');
      this.#gathering = false;
    });
  }

  #sync(): void {
    if (this.#ending) return;
    this.#ending = true;
    this.#gathering = false;
    this.#send('sync');
  }

  #send(end: 'flush' | 'sync'): void {
    const { frames } = this.#desk;
    frames[end]();
    this.#lastWordAt = performance.now();
    this.#connection.stream.write(frames.take());
  }

  #expect(statement: Sql | undefined): void {
    this.name = statement?.name;
    this.text = statement?.text ?? '';
  }

  // What follows is called by `pg`.

  handleRowDescription({ fields }: { readonly fields: readonly Field[] }): void {
    const [current] = this.#asked;
    if (!current) return;
    current.shape = {
      names: fields.map(({ name }) => name),
      readers: fields.map(
        ({ dataTypeID }) => this.#types.getTypeParser(dataTypeID, 'text') as (text: string) => unknown,
      ),
    };
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const [current] = this.#asked;
    if (!current?.shape) return;
    const { names, readers } = current.shape;
    const row: Record<string, unknown> = {};
    for (let at = 0; at < fields.length; at += 1) {
      const text = fields[at] as string | null;
      row[names[at] as string] = text === null ? null : readers[at]?.(text);
    }
    current.rows.push(row);
  }

  /** `text` is a word for the command, and the number of rows behind it: `INSERT 0 1`, `SELECT 3`, `BEGIN`. */
  handleCommandComplete({ text }: { readonly text: string }): void {
    const current = this.#asked.shift();
    if (!current) return;
    this.#lastWordAt = performance.now();
    this.#desk.shapes.set(current.statement.name, current.shape ?? noColumns);
    this.#expect(this.#asked[0]?.statement);
    const count = Number(text.slice(text.lastIndexOf(' ') + 1));
    current.resolve({ rows: current.rows, rowCount: Number.isNaN(count) ? 0 : count });
  }

  handleEmptyQuery(): void {
    this.handleCommandComplete({ text: '' });
  }

  /** The server refused something, or is gone. Either way nothing that was asked will happen. */
  handleError(error: unknown): void {
    if (this.#failure) return;
    this.#failure = { error };
    // What stands behind the error was not read, so its statements are not known.
    const { parsedStatements, submittedNamedStatements } = this.#connection;
    for (const { statement, reject } of this.#asked.splice(0)) {
      if (parsedStatements[statement.name] === undefined) delete submittedNamedStatements[statement.name];
      reject(error);
    }
    if (!isRefusal(error)) {
      this.#end.reject(error);
      return;
    }
    // `pg` takes a query that failed for finished. The connection is free when the Sync has its answer.
    const free = () => {
      this.#connection.off('end', lost);
      this.#end.reject(error);
    };
    const lost = () => {
      this.#connection.off('readyForQuery', free);
      this.#end.reject(new Error('Connection terminated unexpectedly'));
    };
    this.#connection.once('readyForQuery', free);
    this.#connection.once('end', lost);
  }

  handleReadyForQuery(): void {
    this.#end.resolve();
  }
}

/** A word of the server, as opposed to its silence. */
const isRefusal = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.severity !== 'FATAL' && error.severity !== 'PANIC';
