import type { JsMsg } from '@nats-io/jetstream';
import { makeKeyedWork } from '../keyed.ts';
import { covers } from '../subjects.ts';
import { Hands, type Held } from './hands.ts';
import type { Leading } from './lease.ts';
import { type PullParts, startPulling } from './pulling.ts';
import type { Records } from './records.ts';
import type { Share } from './streams.ts';
import { makeTry } from './tries.ts';

/**
 * The time during which this instance leads a consumer. It keeps a bounded number of messages in hand, tells the server
 * that they are still wanted, and retries a failed one from memory, so that its key stays in order. The number of tries is
 * noted down at each failure: the server's own count also grows for messages that only waited here when we crashed.
 */
export function startTerm(
  options: PullParts & {
    readonly records: Records;
    flush(): Promise<void>;
    onReconnect(listener: () => void): () => void;
  },
): Leading {
  const { consumer, clock, log, records } = options;
  const ending = new AbortController();
  const { signal } = ending;
  const hands = new Hands(options.shares);

  const keyed = makeKeyedWork<Held>({
    concurrency: consumer.concurrency,
    work: makeTry({ consumer, records, hands, log }),
    sleep: clock.sleep,
  });

  const accept = (msg: JsMsg, share: Share, isOld: boolean) => {
    if (!share.patterns.some((pattern) => covers(pattern, msg.subject))) return msg.ack();
    const held = hands.take(msg, share, isOld);
    if (held) keyed.add(held.received.message.key, held);
  };
  const pulling = startPulling({ ...options, hands, signal, accept });

  const keepInHand = async () => {
    while (!signal.aborted) {
      await clock.sleep(consumer.ackWaitMs / 3, signal).catch(() => undefined);
      hands.stillWorking();
    }
  };

  const forget = options.onReconnect(pulling.cut);
  const keeping = keepInHand();
  return {
    async stop(resigning) {
      ending.abort();
      hands.wakeAll();
      forget();
      pulling.cut();
      await Promise.all([pulling.ended, keeping]);
      // The time to acknowledge still runs for those in work.
      const finished = new AbortController();
      const stillAlive = (async () => {
        while (!finished.signal.aborted) {
          hands.stillWorking();
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
