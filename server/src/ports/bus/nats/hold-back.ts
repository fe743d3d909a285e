/**
 * What a crashed leader had in hand comes back when its time to acknowledge has run out, but on a busy server not at once:
 * newer messages can come first. They are held back until the old ones are here, so that keys stay in order, or until
 * `release` is called: an old one may have been acknowledged meanwhile and never comes.
 */
export interface HoldBack<M> {
  take(message: M): void;
  release(): void;
}

export function makeHoldBack<M extends { readonly seq: number }>(options: {
  /** How many messages the last leader had in hand, and the newest sequence that was handed out then. */
  readonly awaited: number;
  readonly upTo: number;
  accept(message: M): void;
}): HoldBack<M> {
  const missing = { count: options.awaited };
  const seen = new Set<number>();
  const early: M[] = [];
  const release = () => {
    missing.count = 0;
    for (const message of early.splice(0)) options.accept(message);
  };
  return {
    take(message) {
      if (missing.count > 0 && message.seq > options.upTo) {
        early.push(message);
        return;
      }
      options.accept(message);
      if (missing.count === 0 || seen.has(message.seq)) return;
      seen.add(message.seq);
      missing.count--;
      if (missing.count === 0) release();
    },
    release,
  };
}
