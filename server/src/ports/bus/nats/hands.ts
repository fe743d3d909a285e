import type { JsMsg } from '@nats-io/jetstream';
import { type Bell, makeBell } from '../bell.ts';
import { decodeMessage, type Received } from '../wire.ts';
import type { Share } from './streams.ts';

/** A message in our hands: fetched, not yet acknowledged. */
export interface Held {
  msg: JsMsg;
  readonly share: Share;
  readonly received: Received;
  /** Tries so far; `undefined` until the notes have been asked about a message that was handed out before. */
  tries: number | undefined;
  reason: string | undefined;
}

/** All messages in our hands, with a bell for each share that rings when there is room again. */
export class Hands {
  readonly #held = new Map<string, Held>();
  readonly #rooms: ReadonlyMap<Share, Bell>;
  constructor(shares: readonly Share[]) {
    this.#rooms = new Map(shares.map((share) => [share, makeBell()]));
  }

  /**
   * Takes a message up; `isOld` says that it may have been tried before. Undefined when it waits here already: only the
   * newer copy can be acknowledged for sure.
   */
  take(msg: JsMsg, share: Share, isOld: boolean): Held | undefined {
    const known = this.#held.get(handle(msg));
    if (known) {
      known.msg = msg;
      return undefined;
    }
    const held: Held = { msg, share, received: receive(msg), tries: isOld ? undefined : 0, reason: undefined };
    this.#held.set(handle(msg), held);
    return held;
  }
  letGo(held: Held): void {
    this.#held.delete(handle(held.msg));
    this.#rooms.get(held.share)?.ring();
  }
  countOf(share: Share): number {
    if (this.#rooms.size === 1) return this.#held.size;
    let count = 0;
    for (const held of this.#held.values()) if (held.share === share) count++;
    return count;
  }
  async room(share: Share): Promise<void> {
    await this.#rooms.get(share)?.wait();
  }
  /** Wakes those that wait for room, so that they see the end. */
  wakeAll(): void {
    for (const room of this.#rooms.values()) room.ring();
  }
  /** Tells the server that all are still wanted. */
  stillWorking(): void {
    for (const held of this.#held.values()) held.msg.working();
  }
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
