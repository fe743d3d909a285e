import type { NatsConnection } from '@nats-io/transport-node';
import type { Clock } from '../../../kernel/clock.ts';
import { sayWhy } from '../attempt.ts';
import type { BusLog } from '../log.ts';
import type { Records } from './records.ts';

/**
 * One instance leads a consumer at a time, because JetStream would let two instances overtake each other within a key.
 * The leader renews a note; the others watch the renewals and step in when there was none for `leaseMs` of their own
 * time. No clocks are compared. A takeover is a compare-and-set on the note, so of two candidates one wins, and a
 * leader that slept too long finds the note changed and steps down.
 */
export interface Campaign {
  /** Gives the lead away at once when it is held: `tidy` says that nothing handed to us is left unfinished. */
  close(): Promise<void>;
}

export interface Leading {
  /** Ends the term; answers whether a successor may start without waiting for what we were handed. */
  stop(resigning: boolean): Promise<boolean>;
}

export function campaign(options: {
  readonly nc: NatsConnection;
  readonly records: Records;
  readonly subject: string;
  readonly holder: string;
  readonly leaseMs: number;
  readonly clock: Clock;
  readonly log: BusLog;
  lead(afterTidyEnd: boolean): Leading;
}): Campaign {
  const { nc, records, subject, holder, leaseMs, clock, log } = options;
  const closing = new AbortController();
  const { signal } = closing;
  const ear = listenToNote(nc, subject, clock, signal);
  const note = (released: boolean, tidy: boolean) => ({ holder, released, tidy });
  const stateOf = (body: unknown) => {
    const { holder: by, released, tidy } = (body ?? {}) as { holder?: unknown; released?: unknown; tidy?: unknown };
    return { mine: by === holder, released: released === true, tidy: tidy === true };
  };

  /** Answers the sequence of our note once we lead. */
  const win = async (): Promise<{ seq: number; tidy: boolean } | undefined> => {
    let silent = false;
    while (!signal.aborted) {
      const found = await records.read(subject);
      const state = stateOf(found?.body);
      if (found === undefined || state.mine || state.released || silent) {
        const seq = await records.replace(subject, found?.seq ?? 0, note(false, false));
        if (seq !== undefined) return { seq, tidy: state.released && state.tidy };
        silent = false;
        continue;
      }
      silent = !(await ear.hearsWithin(leaseMs));
    }
    return undefined;
  };

  /** Returns when the lead is lost or given up; answers the last sequence. */
  const keep = async (first: number): Promise<number | undefined> => {
    let seq = first;
    let renewedAt = performance.now();
    while (!signal.aborted) {
      await clock.sleep(leaseMs / 3, signal).catch(() => undefined);
      if (signal.aborted) break;
      try {
        let next = await records.replace(subject, seq, note(false, false));
        if (next === undefined) {
          // Another instance took over, the answer to our last renewal was lost, or the server lost its notes.
          const found = await records.read(subject);
          if (found === undefined || stateOf(found.body).mine)
            next = await records.replace(subject, found?.seq ?? 0, note(false, false));
        }
        if (next === undefined) return undefined;
        seq = next;
        renewedAt = performance.now();
      } catch (error) {
        log.warn({ subject, reason: sayWhy(error) }, 'the lead of a consumer could not be renewed');
        if (performance.now() - renewedAt > leaseMs) return undefined;
      }
    }
    return seq;
  };

  const run = async () => {
    while (!signal.aborted) {
      try {
        const won = await win();
        if (won === undefined) return;
        const term = options.lead(won.tidy);
        const seq = await keep(won.seq);
        const tidy = await term.stop(signal.aborted);
        if (signal.aborted && seq !== undefined) await records.replace(subject, seq, note(true, tidy));
      } catch (error) {
        if (signal.aborted) return;
        log.warn({ subject, reason: sayWhy(error) }, 'no word from the bus about who leads a consumer');
        await clock.sleep(Math.min(500, leaseMs / 3), signal).catch(() => undefined);
      }
    }
  };
  const running = run();
  return {
    async close() {
      closing.abort();
      await running.catch((error: unknown) =>
        log.warn({ subject, reason: sayWhy(error) }, 'the lead was not returned'),
      );
      ear.close();
    },
  };
}

/** Hears each time the note is written. */
function listenToNote(nc: NatsConnection, subject: string, clock: Clock, signal: AbortSignal) {
  let heard = () => {};
  const subscription = nc.subscribe(subject, { callback: () => heard() });
  return {
    /** Resolves true when the note was touched within `ms`. */
    async hearsWithin(ms: number): Promise<boolean> {
      const quiet = new AbortController();
      const news = new Promise<true>((resolve) => {
        heard = () => resolve(true);
      });
      const patience = clock.sleep(ms, AbortSignal.any([signal, quiet.signal])).then(
        () => false,
        () => false,
      );
      const answer = await Promise.race([news, patience]);
      quiet.abort();
      return answer;
    },
    close: () => subscription.unsubscribe(),
  };
}
