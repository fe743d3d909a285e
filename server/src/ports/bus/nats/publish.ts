import { sayWhy } from '../attempt.ts';
import { makeBell } from '../bell.ts';
import type { Bus, Message, Published } from '../port.ts';
import { startPublishSpan } from '../spans.ts';
import type { StreamPlans } from '../subjects.ts';
import { encodeMessage } from '../wire.ts';
import type { Link } from './link.ts';
import type { openPublisher } from './publisher.ts';

/** Publishes in order, with a bounded number of messages that wait for the word of the server. */
export function makePublish(options: {
  readonly publisher: ReturnType<typeof openPublisher>;
  readonly link: Link;
  readonly streams: StreamPlans;
  readonly windowSize: number;
  /** Sets the streams up again. */
  restore(): Promise<void>;
}): Bus['publish'] {
  const { publisher, link, streams, windowSize } = options;

  /** One message on its way. Rejects when the bus is to blame, so that the whole call is repeated. */
  const publishOne = async (message: Message, text: string): Promise<Published> => {
    const span = startPublishSpan('nats', message);
    try {
      const published = await publisher.send(message, text);
      span.end(typeof published === 'string' ? undefined : published.refused);
      return published;
    } catch (error) {
      span.end(sayWhy(error));
      throw error;
    }
  };

  return async (messages: readonly Message[]): Promise<Published[]> => {
    if (!link.up()) throw new Error('the bus cannot be reached');
    const results: Promise<Published>[] = [];
    let failure: { readonly error: unknown } | undefined;
    let onTheWay = 0;
    const room = makeBell();
    const settle = () => {
      onTheWay--;
      room.ring();
    };
    for (const message of messages) {
      const encoded = encodeMessage(message, streams);
      if ('refused' in encoded) {
        results.push(Promise.resolve(encoded));
        continue;
      }
      while (onTheWay >= windowSize) await room.wait();
      // After a failure nothing more is sent: a later message must not be stored while an earlier one was not.
      if (!link.up()) failure ??= { error: new Error('the bus was lost on the way') };
      if (failure) break;
      const result = publishOne(message, encoded.text);
      onTheWay++;
      result.then(settle, (error: unknown) => {
        failure ??= { error };
        settle();
      });
      results.push(result);
    }
    while (onTheWay > 0) await room.wait();
    if (failure) {
      // A server that came back empty has no streams, and says so by not answering.
      await options.restore().catch(() => undefined);
      throw failure.error;
    }
    return Promise.all(results);
  };
}
