import type { Envelope } from '@gpuaas/contract';

/**
 * The bus carries events from the outbox to consumers. It may lose everything: the outbox is the record, and
 * consumers remember what they have done. What it does promise stands in `conformance.ts`.
 */
export interface Bus {
  /**
   * Stores all messages, in order, and says what became of each. A refusal concerns one message (too large, no such
   * stream); when the bus itself cannot be reached, the whole call throws and may be repeated.
   */
  publish(messages: readonly Message[]): Promise<Published[]>;
  /**
   * A durable consumer: what arrives while nobody listens waits for it. Instances of one name share the work; how is
   * the adapter's affair, and one that does it all while the others stand by is within the promise.
   */
  consume(consumer: Consumer): Promise<Consuming>;
  /** Throws unless a message can make the round trip. */
  check(): Promise<void>;
  close(): Promise<void>;
}
/**
 * How far consumers are behind, for operators. It only reads and connects on first use, so a process may hold it
 * without depending on the bus.
 */
export interface BusDepths {
  /** Every consumer that the bus knows, by name. */
  read(): Promise<readonly ConsumerDepth[]>;
  close(): Promise<void>;
}
export interface ConsumerDepth {
  readonly consumer: string;
  /** Messages waiting or in work. */
  readonly waiting: number;
  /** When the oldest of them was published. */
  readonly oldestAt: Date | undefined;
}
export interface Message {
  /** The bus stores one id once (within its window of at least two minutes). */
  readonly id: string;
  readonly subject: string;
  /** Messages of one key are handled one after the other, in order, also when one has to be tried again. */
  readonly key: string;
  readonly envelope: Envelope;
}
export type Published = 'stored' | 'duplicate' | { readonly refused: string };

export interface Consumer {
  readonly name: string;
  /** Subjects it wants; `>` at the end stands for the rest. */
  readonly subjects: readonly string[];
  readonly maxDeliver: number;
  /**
   * How long a process may be silent before its messages are offered to another instance. A handler may work longer:
   * the bus gives signs of life for it while the process lives.
   */
  readonly ackWaitMs: number;
  /** Delay before the second try; doubles, up to `maxBackoffMs`. */
  readonly backoffMs: number;
  readonly maxBackoffMs: number;
  /** How many keys may be in work at once. */
  readonly concurrency: number;
  /** Returns when the effect is durable: only then is the message acknowledged. Throws to get it again. */
  handle(delivery: Delivery): Promise<void>;
  /** The last try failed. Called before the message is given up; throws to keep it. */
  dead(delivery: Delivery, reason: string): Promise<void>;
}
export interface Delivery {
  readonly message: Message;
  /** 1 on the first try. */
  readonly attempt: number;
}
export interface Consuming {
  /** Messages waiting or in work. */
  lag(): Promise<number>;
  /** Stops taking messages, waits for those in work. */
  close(): Promise<void>;
}
