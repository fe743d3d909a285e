/**
 * Wakes the streams of people whose notifications changed. One subscription to the cache serves all streams of a process. A
 * message names people only, so one that is lost costs nothing but time: the browser reads its notifications when it connects.
 */
export interface Bells {
  /** A bell for one stream of one person. */
  hang(personId: string): Bell;
  close(): Promise<void>;
}
export interface Bell {
  /** Resolves at the next ring; at once when it rang since the last call. */
  rung(): Promise<'rung'>;
  close(): void;
}

export async function openBells(
  subscribe: (listener: (message: string) => void) => Promise<{ close(): Promise<void> }>,
): Promise<Bells> {
  const hanging = new Map<string, Set<{ ring(): void }>>();
  const listening = await subscribe((message) => {
    for (const person of message.split(',')) for (const bell of hanging.get(person) ?? []) bell.ring();
  });
  return {
    hang(personId) {
      let next = Promise.withResolvers<'rung'>();
      const bell = { ring: () => next.resolve('rung') };
      const bells = hanging.get(personId) ?? new Set();
      hanging.set(personId, bells.add(bell));
      return {
        async rung() {
          const heard = await next.promise;
          next = Promise.withResolvers();
          return heard;
        },
        close() {
          bells.delete(bell);
          if (bells.size === 0 && hanging.get(personId) === bells) hanging.delete(personId);
        },
      };
    },
    close: () => listening.close(),
  };
}
