import type { ConsumerMessages, JetStreamClient, JetStreamManager, JsMsg } from '@nats-io/jetstream';
import type { Clock } from '../../../kernel/clock.ts';
import { type Outcome, sayWhy, tryDelivery } from '../attempt.ts';
import { makeBell } from '../bell.ts';
import { makeKeyedWork } from '../keyed.ts';
import type { BusLog } from '../log.ts';
import type { Consumer } from '../port.ts';
import { covers } from '../subjects.ts';
import { decodeMessage, type Received } from '../wire.ts';
import type { Leading } from './lease.ts';
import { type Records, triesSubject } from './records.ts';
import { isMissing, type Share } from './streams.ts';

const PULL_MS = 5_000;

/** A message in our hands: fetched, not yet acknowledged. */
interface Held {
  msg: JsMsg;
  readonly share: Share;
  readonly received: Received;
  /** Tries so far; `undefined` until the notes have been asked about a message that was handed out before. */
  tries: number | undefined;
  reason: string | undefined;
}

/**
 * The time during which this instance leads a consumer. It keeps a bounded number of messages in hand, tells the server
 * that they are still wanted, and retries a failed one from memory, so that its key stays in order. The number of tries is
 * noted down at each failure: the server's own count also grows for messages that only waited here when we crashed.
 */
export function startTerm(options: {
  readonly js: JetStreamClient;
  readonly jsm: JetStreamManager;
  readonly records: Records;
  readonly consumer: Consumer;
  readonly shares: readonly Share[];
  readonly window: number;
  readonly afterTidyEnd: boolean;
  readonly clock: Clock;
  readonly log: BusLog;
  /** Sets the durable consumer up again after the server has lost it. */
  restore(share: Share): Promise<void>;
  flush(): Promise<void>;
  onReconnect(listener: () => void): () => void;
}): Leading {
  const { consumer, clock, log, records } = options;
  const ending = new AbortController();
  const { signal } = ending;
  const hands = new Map<string, Held>();
  /** Up to which sequence of a share another leader may have had messages in hand when the term began. */
  const handedOut = new Map<Share, number>();
  const rooms = new Map(options.shares.map((share) => [share, makeBell()]));

  const letGo = (held: Held) => {
    hands.delete(handle(held.msg));
    rooms.get(held.share)?.ring();
  };

  const work = async (held: Held): Promise<Outcome> => {
    const { message, unreadable } = held.received;
    const notes = () => triesSubject(consumer.name, message.id);
    if (held.tries === undefined) {
      const found = await records.read(notes()).catch(complain('tries could not be read'));
      const { tries, reason } = (found?.body ?? {}) as { tries?: unknown; reason?: unknown };
      held.tries = typeof tries === 'number' ? tries : 0;
      held.reason = typeof reason === 'string' ? reason : undefined;
    }
    const attempt = ++held.tries;
    // Counted before the try, so that a message which takes the whole process down reaches its end too.
    if (held.msg.info.deliveryCount > 1 && unreadable === undefined)
      await records.write(notes(), { tries: attempt }).catch(complain('a try could not be noted'));
    const known = { unreadable, lastReason: held.reason };
    const outcome = await tryDelivery('nats', consumer, { message, attempt }, known);
    if (outcome === 'done') {
      held.msg.ack();
      letGo(held);
    } else {
      held.reason = outcome.reason;
      await records
        .write(notes(), { tries: attempt, reason: outcome.reason })
        .catch(complain('a try could not be noted'));
      log.warn({ consumer: consumer.name, message: message.id, attempt, ...outcome }, 'a message will be tried again');
    }
    return outcome;
  };
  const complain = (what: string) => (error: unknown) => {
    log.warn({ consumer: consumer.name, reason: sayWhy(error) }, what);
    return undefined;
  };

  const keyed = makeKeyedWork<Held>({ concurrency: consumer.concurrency, work, sleep: clock.sleep });

  const accept = (msg: JsMsg, share: Share) => {
    if (!share.patterns.some((pattern) => covers(pattern, msg.subject))) return msg.ack();
    const known = hands.get(handle(msg));
    if (known) {
      // Handed out again while it waits here: only the newer copy can be acknowledged for sure.
      known.msg = msg;
      return;
    }
    const received = receive(msg);
    // Servers before 2.10 do not count what was handed back, so at the start of a term the count alone does not tell.
    const old = msg.info.deliveryCount > 1 || msg.seq <= (handedOut.get(share) ?? 0);
    const held: Held = { msg, share, received, tries: old ? undefined : 0, reason: undefined };
    hands.set(handle(msg), held);
    keyed.add(received.message.key, held);
  };

  const heldOf = (share: Share) => {
    if (options.shares.length === 1) return hands.size;
    let count = 0;
    for (const held of hands.values()) if (held.share === share) count++;
    return count;
  };

  const pulls = new Set<ConsumerMessages>();
  const stopPulls = () => {
    for (const pull of pulls) pull.close().catch((error: unknown) => log.warn({ err: error }, 'a pull did not close'));
  };
  const pullForever = async (share: Share) => {
    await takeOver(share);
    while (!signal.aborted) {
      const free = options.window - heldOf(share);
      if (free < Math.max(1, options.window / 4)) {
        await rooms.get(share)?.wait();
        continue;
      }
      try {
        const durable = await options.js.consumers.get(share.stream, consumer.name);
        const pull = await durable.fetch({ max_messages: free, expires: PULL_MS });
        pulls.add(pull);
        // A pull ends only while it is read, so it is read to its end even when it came too late.
        if (signal.aborted) stopPulls();
        try {
          for await (const msg of pull) accept(msg, share);
        } finally {
          pulls.delete(pull);
        }
      } catch (error) {
        await recover(share, error);
      }
    }
  };

  /**
   * What a crashed leader had in hand comes back when its time to acknowledge has run out. Taking later messages before
   * that would turn the order of their keys around; afterwards the server hands out the old ones first, in order.
   */
  const takeOver = async (share: Share) => {
    while (!signal.aborted) {
      try {
        const info = await options.jsm.consumers.info(share.stream, consumer.name);
        handedOut.set(share, info.delivered.stream_seq + options.window);
        if (info.num_ack_pending > 0 && !options.afterTidyEnd)
          await clock.sleep(consumer.ackWaitMs, signal).catch(() => undefined);
        return;
      } catch (error) {
        await recover(share, error);
      }
    }
  };

  const recover = async (share: Share, error: unknown) => {
    if (signal.aborted) return;
    complain('messages could not be fetched')(error);
    if (isMissing(error)) await options.restore(share).catch(complain('a consumer could not be restored'));
    await clock.sleep(250, signal).catch(() => undefined);
  };

  const keepInHand = async () => {
    while (!signal.aborted) {
      await clock.sleep(consumer.ackWaitMs / 3, signal).catch(() => undefined);
      for (const held of hands.values()) held.msg.working();
    }
  };

  const forget = options.onReconnect(stopPulls);
  const loops = [...options.shares.map(pullForever), keepInHand()];
  return {
    async stop(resigning) {
      ending.abort();
      for (const room of rooms.values()) room.ring();
      forget();
      stopPulls();
      await Promise.all(loops);
      // The time to acknowledge still runs for those in work.
      const finished = new AbortController();
      const stillAlive = (async () => {
        while (!finished.signal.aborted) {
          for (const held of hands.values()) held.msg.working();
          await clock.sleep(consumer.ackWaitMs / 3, finished.signal).catch(() => undefined);
        }
      })();
      const rest = await keyed.stop();
      finished.abort();
      await stillAlive;
      if (!resigning) return false;
      for (const held of rest) held.msg.nak();
      await options.flush();
      let waiting = 0;
      for (const share of options.shares) {
        const info = await options.jsm.consumers.info(share.stream, consumer.name);
        waiting += info.num_ack_pending;
      }
      return waiting <= rest.length;
    },
  };
}

const handle = (msg: JsMsg): string => `${msg.info.stream}:${msg.seq}`;

function receive(msg: JsMsg): Received {
  const key = msg.headers?.get('Gpuaas-Key');
  return decodeMessage({
    id: msg.headers?.get('Nats-Msg-Id') || undefined,
    subject: msg.subject,
    key: key ? decodeKey(key) : undefined,
    text: msg.string(),
    receivedAt: new Date(msg.info.timestampNanos / 1_000_000),
  });
}

function decodeKey(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
