import type { Clock } from '../../../kernel/clock.ts';
import { pulseMissedMs } from '../facts.ts';

/**
 * Since when we have listened without a gap. Time in which this process did not run, no api received reports, or
 * reports could not be written does not count against a node.
 */
export class Listening {
  readonly #clock: Clock;
  #lastPulseMs = Number.NEGATIVE_INFINITY;
  #lastRoundMs = Number.NEGATIVE_INFINITY;
  #sinceMs = Number.POSITIVE_INFINITY;
  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** An api says that it hears nodes. */
  pulse(): void {
    const now = this.#clock.now().getTime();
    if (now - this.#lastPulseMs > pulseMissedMs) this.#sinceMs = now;
    this.#lastPulseMs = now;
  }

  /** A round looks at the nodes: a gap since the last pulse or round begins the count anew. */
  beginRound(): void {
    const now = this.#clock.now().getTime();
    if (now - this.#lastPulseMs > pulseMissedMs || now - this.#lastRoundMs > pulseMissedMs) this.#sinceMs = now;
    this.#lastRoundMs = now;
  }

  /** The time so long ago; undefined when we have not listened for that long. */
  timeBefore(lengthMs: number): Date | undefined {
    const now = this.#clock.now().getTime();
    return now - this.#sinceMs >= lengthMs ? new Date(now - lengthMs) : undefined;
  }
}
