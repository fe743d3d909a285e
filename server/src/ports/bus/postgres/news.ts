import { openListening } from '../../listening.ts';
import type { Bell } from '../bell.ts';
import type { BusLog } from '../log.ts';

/** What is heard on the channel of the bus: names of consumers that have a message, and ids of checks. */
export interface News {
  /** Rings the bell when this consumer has news, and when some may have been missed. Answers how to leave. */
  ring(consumer: string, bell: Bell): () => void;
  /** Waits until this word is said. */
  expect(word: string): { readonly heard: Promise<void>; forget(): void };
  close(): Promise<void>;
}

const LISTEN_WITHIN_MS = 10_000;

export async function openNews(url: string, channel: string, log: BusLog): Promise<News> {
  const bells = new Map<string, Set<Bell>>();
  const expected = new Map<string, () => void>();
  const listening = openListening({
    ...{ url, name: 'gpuaas-bus-listener', channels: [channel], log },
    heard(_, payload) {
      expected.get(payload)?.();
      for (const bell of bells.get(payload) ?? []) bell.ring();
    },
    back() {
      for (const ringing of bells.values()) for (const bell of ringing) bell.ring();
    },
  });
  try {
    await listening.catchUp(LISTEN_WITHIN_MS);
  } catch (error) {
    await listening.close();
    throw error;
  }
  return {
    ring(consumer, bell) {
      const ringing = bells.get(consumer) ?? new Set();
      bells.set(consumer, ringing.add(bell));
      return () => void ringing.delete(bell);
    },
    expect: (word) => ({
      heard: new Promise<void>((resolve) => expected.set(word, resolve)),
      forget: () => void expected.delete(word),
    }),
    close: () => listening.close(),
  };
}
