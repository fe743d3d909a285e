import type { Abandon, Act, Commit, Ended, Outcome, Receipt, Sql, WriteTx, Written } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Fault } from '../../kernel/fault.ts';
import type { Ids } from '../../kernel/id.ts';
import { idempotencyOf, KeyTaken } from '../../kernel/idempotency.ts';
import { failpoint } from '../../kernel/process/failpoint.ts';
import { currentFence } from '../../kernel/process/lease.ts';
import { commitValues } from './commit-record.ts';
import { readStored } from './stored-replies.ts';
import { type Conversations, mayRetry, OpenTransaction, translate, viewSettings } from './transaction.ts';
import type { Answer } from './wire/conversation.ts';
import { actCommit, actOpen, leaseHold } from './wire/statements.ts';
import type { Wake } from './wire/wake-ups.ts';

const maxAttempts = 5;
const firstBackoffMs = 5;

/** Ends of transactions, by the transaction that made them: a commit from elsewhere, or a forged one, is refused. */
const endings = new WeakMap<object, { tx: WriteTransaction; value?: unknown; receipt?: Receipt; fault?: Fault }>();

class WriteTransaction extends OpenTransaction {
  readonly wakes: Wake[] = [];
  wake(channel: string, what: string): void {
    this.wakes.push({ channel, what });
  }
  async run(statement: Sql, values?: readonly unknown[]): Promise<number> {
    return (await this.ask(statement, values)).rowCount ?? 0;
  }
  commit<T>(value: T, receipt: Receipt): Commit<T> {
    const ending = { value } as Commit<T>;
    endings.set(ending, { tx: this, value, receipt });
    return ending;
  }
  abandon<F extends Fault>(fault: F): Abandon<F> {
    const ending = { fault } as Abandon<F>;
    endings.set(ending, { tx: this, fault });
    return ending;
  }
}

/** The begin of a write hands the stored reply out, if there is one, and has then begun nothing. */
function refuseRepetition({ rows }: Answer): void {
  const { stored } = rows[0] as { stored: string | null };
  if (stored !== null) throw new KeyTaken('done', readStored(stored));
}

/**
 * The one way to write. Domain rows, audit row, outbox rows and the stored response become visible together or not at
 * all. Two round trips at best: everything up to the first answer that the work needs, and everything from there to
 * the commit.
 */
export function makeWrite(parts: {
  readonly conversations: Conversations;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Called after a commit that left events. */
  readonly onEvents: () => void;
  /** Called after a commit that has listeners to wake. */
  readonly onWakes: (wakes: readonly Wake[]) => void;
}) {
  const { conversations, clock } = parts;
  const used = new WeakSet<Act>();

  async function attempt<E extends Ended>(act: Act, work: (tx: WriteTx) => Promise<E>): Promise<Outcome<E>> {
    const idempotency = idempotencyOf(act);
    const { conversation, giveBack } = await conversations.begin();
    /** Undoes everything and gives the connection back, or throws it away if it is not known where it stands. */
    const leave = () =>
      conversation.rollback().then(
        () => giveBack(true),
        () => giveBack(false),
      );
    const opened = conversation.ask(actOpen, [
      act.id,
      ...viewSettings(act, clock),
      idempotency?.principal ?? null,
      idempotency?.route ?? null,
      idempotency?.key ?? null,
    ]);
    const tx = new WriteTransaction(conversation, opened.then(refuseRepetition));
    let ending: ReturnType<typeof endings.get>;
    try {
      const ended = await work(tx as unknown as WriteTx);
      await tx.begun;
      ending = endings.get(ended);
      if (ending?.tx !== tx)
        throw new Error(`${act.action} ended in neither commit nor abandon of its own transaction`);
      tx.end();
      if (ending.receipt) {
        await failpoint('write.before-commit', act.action);
        const written = commitValues(parts, act, ending.value, ending.receipt, idempotency);
        // Sent together with the commit, so that a process that stalls here cannot keep the lock of the lease.
        const fence = currentFence();
        if (fence) conversation.ask(leaseHold, [fence.lease, fence.number]).catch(() => undefined);
        // Its failure is that of the commit, which is waited for.
        conversation.ask(actCommit, written).catch(() => undefined);
      }
    } catch (error) {
      tx.end();
      const left = leave();
      // A repeated request is answered at once: nothing was done that others could see or wait for.
      if (!(error instanceof KeyTaken)) await left;
      throw translate(error);
    }
    if (ending.fault || !ending.receipt) {
      await leave();
      return ending.fault as Outcome<E>;
    }
    try {
      await conversation.commit();
    } catch (error) {
      // After a refusal the connection is usable again; a lost one is closed. Its protocol state shows which.
      await leave();
      throw translate(error);
    }
    giveBack(true);
    await failpoint('write.after-commit', act.action);
    if (ending.receipt.events !== 'none') parts.onEvents();
    if (tx.wakes.length > 0) parts.onWakes(tx.wakes);
    return { value: ending.value } as Outcome<E> & Written<unknown>;
  }

  return async function write<E extends Ended>(act: Act, work: (tx: WriteTx) => Promise<E>): Promise<Outcome<E>> {
    if (used.has(act)) throw new Error(`${act.action} wrote already: one act is one write`);
    used.add(act);
    for (let tries = 1; ; tries += 1) {
      try {
        return await attempt(act, work);
      } catch (error) {
        if (!mayRetry(error) || tries === maxAttempts) throw error;
        await clock.sleep(firstBackoffMs * 2 ** tries);
      }
    }
  };
}
