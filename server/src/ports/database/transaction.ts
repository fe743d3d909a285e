import pg, { type Pool } from 'pg';
import type { ReadTx, Sql, Viewer } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import { KeyTaken } from '../../kernel/idempotency.ts';
import { type Answer, Conversation } from './wire/conversation.ts';

// Counts and sums arrive as bigint; nothing of ours fits into a double by luck. Only on our own connections: other
// libraries in this process have their own idea of numbers.
export const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => (oid === pg.types.builtins.INT8 ? BigInt : pg.types.getTypeParser(oid, format)),
};

/** Something that may fail before anyone looks at it. */
export const quiet = <T>(promise: Promise<T>): Promise<T> => {
  promise.catch(() => undefined);
  return promise;
};

/**
 * A statement is sent the moment it is asked for, and answers come back in order. So the settings and the first
 * statement of the work leave together; if the settings are refused, or tell that there is nothing to do, the answer
 * to the statement behind them is not looked at.
 */
export class OpenTransaction implements ReadTx {
  readonly conversation: Conversation;
  readonly begun: Promise<unknown>;
  #ended = false;
  constructor(conversation: Conversation, begun: Promise<unknown>) {
    this.conversation = conversation;
    this.begun = quiet(begun);
  }
  async ask(statement: Sql, values?: readonly unknown[]): Promise<Answer> {
    if (this.#ended) throw new Error(`${statement.name} was sent after its transaction had ended`);
    const answer = quiet(this.conversation.ask(statement, values));
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

/**
 * Lends connections to conversations. One whose work goes silent in the middle is hung up on, for its locks must not be
 * held for ever; PostgreSQL's own limit counts only between statements that end in a Sync.
 */
export function makeConversations(pool: Pool, { maxSilentMs = 60_000, lookEveryMs = 5_000 } = {}) {
  const open = new Map<Conversation, () => void>();
  const watch = setInterval(() => {
    for (const [conversation, hangUp] of open) if (conversation.silentMs() > maxSilentMs) hangUp();
  }, lookEveryMs);
  watch.unref();
  return {
    async begin(): Promise<{ readonly conversation: Conversation; giveBack(clean: boolean): void }> {
      const client = await pool.connect();
      const conversation = new Conversation(client, types);
      open.set(conversation, () => client.connection.stream.destroy());
      return {
        conversation,
        giveBack(clean) {
          open.delete(conversation);
          client.release(!clean);
        },
      };
    },
    close: () => clearInterval(watch),
  };
}
export type Conversations = ReturnType<typeof makeConversations>;

export const viewSettings = (who: Viewer, clock: Clock): unknown[] => [
  who.actorId,
  who.reach,
  who.organizationId ?? null,
  clock.now().toISOString(),
];

/** The codes that our own functions raise, and those of Postgres that mean "try again". */
const sqlState = (error: unknown): string | undefined =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;

export const translate = (error: unknown): unknown => (sqlState(error) === 'GP409' ? new KeyTaken('running') : error);
export const mayRetry = (error: unknown): boolean => ['40001', '40P01'].includes(sqlState(error) ?? '');
