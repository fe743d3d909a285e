/** Who listens to what in this process. A listener that throws disturbs neither its neighbours nor the connection. */
export interface Listeners {
  /** Returns a way to leave. */
  add(channel: string, listener: (message: string) => void): () => void;
  has(channel: string): boolean;
  channels(): string[];
  tell(channel: string, message: string): void;
  clear(): void;
}

export interface CacheLog {
  warn(details: object, message: string): void;
}

export function makeListeners(log: CacheLog | undefined): Listeners {
  // A subscription is an object of its own, so one function may listen twice and leave once.
  const byChannel = new Map<string, Set<{ readonly listener: (message: string) => void }>>();
  return {
    add(channel, listener) {
      const subscription = { listener };
      const present = byChannel.get(channel) ?? new Set();
      byChannel.set(channel, present.add(subscription));
      return () => {
        present.delete(subscription);
        if (present.size === 0 && byChannel.get(channel) === present) byChannel.delete(channel);
      };
    },
    has: (channel) => byChannel.has(channel),
    channels: () => [...byChannel.keys()],
    tell(channel, message) {
      for (const { listener } of [...(byChannel.get(channel) ?? [])]) {
        try {
          listener(message);
        } catch (error) {
          log?.warn({ err: error, channel }, 'a cache listener threw');
        }
      }
    },
    clear: () => byChannel.clear(),
  };
}
