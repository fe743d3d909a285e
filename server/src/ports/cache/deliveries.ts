import type { CacheLog, makeListeners } from './listeners.ts';

/** How many messages may wait behind one that is being fetched. Beyond that, the newest are lost. */
const maxWaiting = 10_000;

/**
 * Gives what was notified to the listeners, one after the other: a message that has to be fetched delays those behind
 * it, so order is kept.
 */
export class Deliveries {
  readonly #listeners: ReturnType<typeof makeListeners>;
  readonly #log: CacheLog | undefined;
  readonly #fetchLong: (id: number) => Promise<string | undefined>;
  #waiting = 0;
  #last = Promise.resolve();
  constructor(
    listeners: ReturnType<typeof makeListeners>,
    log: CacheLog | undefined,
    fetchLong: (id: number) => Promise<string | undefined>,
  ) {
    this.#listeners = listeners;
    this.#log = log;
    this.#fetchLong = fetchLong;
  }

  /** All that was heard so far has been delivered. */
  get settled(): Promise<void> {
    return this.#last;
  }

  hear(payload: string): void {
    const notice = parseNotice(payload);
    if (!notice) this.#log?.warn({}, 'a stranger spoke on the channel of the cache');
    else if (this.#listeners.has(notice.channel)) this.#deliver(notice.channel, notice.content);
  }

  #deliver(channel: string, content: string | number): void {
    if (typeof content === 'string' && this.#waiting === 0) {
      this.#listeners.tell(channel, content);
      return;
    }
    if (this.#waiting >= maxWaiting) {
      this.#log?.warn({ channel }, 'a cache message was lost: too many are waiting');
      return;
    }
    this.#waiting += 1;
    this.#last = this.#last
      .then(async () => {
        const message = typeof content === 'string' ? content : await this.#fetchLong(content);
        if (message !== undefined) this.#listeners.tell(channel, message);
      })
      .catch((error: unknown) =>
        this.#log?.warn({ err: error, channel }, 'a cache message was lost: it could not be fetched'),
      )
      .finally(() => {
        this.#waiting -= 1;
      });
  }
}

/** A message, or the id of a long one. Anybody who can reach the database can also notify, so nothing is assumed. */
function parseNotice(payload: string): { channel: string; content: string | number } | undefined {
  try {
    const [channel, content] = JSON.parse(payload) as unknown[];
    if (typeof channel !== 'string') return undefined;
    return typeof content === 'string' || Number.isSafeInteger(content)
      ? { channel, content: content as string | number }
      : undefined;
  } catch {
    return undefined;
  }
}
