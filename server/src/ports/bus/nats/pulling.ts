import type { ConsumerMessages, JetStreamClient, JetStreamManager, JsMsg } from '@nats-io/jetstream';
import type { Clock } from '../../../kernel/clock.ts';
import { sayWhy } from '../attempt.ts';
import type { BusLog } from '../log.ts';
import type { Consumer } from '../port.ts';
import type { Hands } from './hands.ts';
import { type HoldBack, makeHoldBack } from './hold-back.ts';
import { isMissing, type Share } from './streams.ts';

const PULL_MS = 5_000;

export interface PullParts {
  readonly js: JetStreamClient;
  readonly jsm: JetStreamManager;
  readonly consumer: Consumer;
  readonly shares: readonly Share[];
  /** How many messages of a share may be in our hands. */
  readonly window: number;
  readonly afterTidyEnd: boolean;
  readonly clock: Clock;
  readonly log: BusLog;
  /** Sets the durable consumer up again after the server has lost it. */
  restore(share: Share): Promise<void>;
}

/** Fetches messages of every share until the term ends, as many as there is room for. */
export function startPulling(
  options: PullParts & {
    readonly hands: Hands;
    readonly signal: AbortSignal;
    /** `isOld` says that an earlier leader may have tried the message. */
    accept(msg: JsMsg, share: Share, isOld: boolean): void;
  },
): { /** Ends the pulls that are open. */ cut(): void; readonly ended: Promise<unknown> } {
  const { consumer, clock, log, hands, signal, accept } = options;
  /** Up to which sequence of a share another leader may have had messages in hand when the term began. */
  const handedOut = new Map<Share, number>();
  // Servers before 2.10 do not count what was handed back, so at the start of a term the count alone does not tell.
  const isOld = (msg: JsMsg, share: Share) => msg.info.deliveryCount > 1 || msg.seq <= (handedOut.get(share) ?? 0);
  const complain = (what: string) => (error: unknown) =>
    log.warn({ consumer: consumer.name, reason: sayWhy(error) }, what);

  const pulls = new Set<ConsumerMessages>();
  const cut = () => {
    for (const pull of pulls) pull.close().catch((error: unknown) => log.warn({ err: error }, 'a pull did not close'));
  };
  const pullForever = async (share: Share) => {
    const holdBack = await takeOver(share);
    while (!signal.aborted) {
      const free = options.window - hands.countOf(share);
      if (free < Math.max(1, options.window / 4)) {
        await hands.room(share);
        continue;
      }
      try {
        const durable = await options.js.consumers.get(share.stream, consumer.name);
        const pull = await durable.fetch({ max_messages: free, expires: PULL_MS });
        pulls.add(pull);
        // A pull ends only while it is read, so it is read to its end even when it came too late.
        if (signal.aborted) cut();
        try {
          for await (const msg of pull) holdBack.take(msg);
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
   * that would turn the order of their keys around.
   */
  const takeOver = async (share: Share): Promise<HoldBack<JsMsg>> => {
    const taken = (msg: JsMsg) => accept(msg, share, isOld(msg, share));
    while (!signal.aborted) {
      try {
        const info = await options.jsm.consumers.info(share.stream, consumer.name);
        handedOut.set(share, info.delivered.stream_seq + options.window);
        if (info.num_ack_pending === 0 || options.afterTidyEnd) break;
        await clock.sleep(consumer.ackWaitMs, signal).catch(() => undefined);
        const holdBack = makeHoldBack({
          awaited: info.num_ack_pending,
          upTo: info.delivered.stream_seq,
          accept: taken,
        });
        // Shorter than the time to acknowledge, which runs for those that are held back.
        clock.sleep(consumer.ackWaitMs / 2, signal).then(holdBack.release, () => undefined);
        return holdBack;
      } catch (error) {
        await recover(share, error);
      }
    }
    return makeHoldBack({ awaited: 0, upTo: 0, accept: taken });
  };

  const recover = async (share: Share, error: unknown) => {
    if (signal.aborted) return;
    complain('messages could not be fetched')(error);
    if (isMissing(error)) await options.restore(share).catch(complain('a consumer could not be restored'));
    await clock.sleep(250, signal).catch(() => undefined);
  };

  return { cut, ended: Promise.all(options.shares.map(pullForever)) };
}
