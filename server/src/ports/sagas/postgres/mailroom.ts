import type { Clock } from '../../../kernel/clock.ts';
import type { SagaLog } from '../attempts.ts';
import type { Letter } from '../standing.ts';
import type { Journal } from './journal.ts';

/**
 * Where runs sleep until they are answered. A letter rings for its own mailbox; nobody looks into one that did not ring.
 * In case a ring was lost, one look over all of them together is taken from time to time.
 */
export interface Mailroom {
  /** Opened before the question is put, a mailbox misses nothing; opened later, it has to be looked into first. */
  open(run: string, step: string, isNew: boolean): Mailbox;
  /** For what may come at any time: `heard` is called when there is a letter, perhaps more than once. */
  watch(run: string, step: string, heard: () => void): { close(): void };
  /** The payload of a notification: the run and the topic, which is the step. */
  ring(payload: string): void;
  /** The answer that counts, if this process has just posted it: it need not be read again. */
  deliver(run: string, step: string, letter: Letter): void;
  /** Looks whether a ring was missed. */
  look(): Promise<void>;
  close(): Promise<void>;
}
export interface Mailbox {
  /** The letter that counts; undefined when there is none at this time. Rejects with the reason of the signal. */
  letterBefore(untilMs: number, signal: AbortSignal): Promise<Letter | undefined>;
  close(): void;
}
interface Box {
  readonly run: string;
  readonly step: string;
  rang: boolean;
  letter: Letter | undefined;
  wake: (() => void) | undefined;
}

const lookEveryMs = 15_000;

export function openMailroom(parts: {
  readonly records: Pick<Journal, 'letter' | 'full'>;
  readonly clock: Clock;
  readonly log: SagaLog;
}): Mailroom {
  const { records, clock, log } = parts;
  const boxes = new Map<string, Set<Box>>();
  const nameOf = ({ run, step }: Pick<Box, 'run' | 'step'>) => `${run}::${step}`;
  const ring = (payload: string) => {
    for (const box of boxes.get(payload) ?? []) {
      box.rang = true;
      box.wake?.();
    }
  };
  const look = async () => {
    const waiting = [...boxes.values()].flatMap((same) => [...same].slice(0, 1));
    if (waiting.length > 0) for (const full of await records.full(waiting)) ring(nameOf(full));
  };

  const closing = new AbortController();
  const lookAgain = async () => {
    while (!closing.signal.aborted) {
      await clock.sleep(lookEveryMs, closing.signal).catch(() => undefined);
      if (closing.signal.aborted) return;
      await look().catch((error: unknown) => log.warn({ error: String(error) }, 'could not look for answers'));
    }
  };
  const looking = lookAgain();

  const put = (box: Box) => {
    const name = nameOf(box);
    const same = boxes.get(name) ?? new Set();
    boxes.set(name, same.add(box));
    return {
      close() {
        same.delete(box);
        if (same.size === 0) boxes.delete(name);
      },
    };
  };

  return {
    watch: (run, step, heard) => put({ run, step, rang: false, letter: undefined, wake: heard }),
    open(run, step, isNew) {
      const box: Box = { run, step, rang: !isNew, letter: undefined, wake: undefined };
      const { close } = put(box);
      return {
        async letterBefore(untilMs, signal) {
          for (;;) {
            if (box.letter) return box.letter;
            if (box.rang) {
              box.rang = false;
              const letter = await records.letter(run, step);
              if (letter) return letter;
            }
            const leftMs = untilMs - clock.now().getTime();
            if (leftMs <= 0) return records.letter(run, step);
            const woken = new AbortController();
            box.wake = () => woken.abort();
            if (box.rang || box.letter) continue;
            await clock.sleep(leftMs, AbortSignal.any([woken.signal, signal])).catch(() => undefined);
            box.wake = undefined;
            signal.throwIfAborted();
          }
        },
        close,
      };
    },
    ring,
    deliver(run, step, letter) {
      for (const box of boxes.get(nameOf({ run, step })) ?? []) {
        box.letter = letter;
        box.wake?.();
      }
    },
    look,
    async close() {
      closing.abort(new Error('closing'));
      await looking;
    },
  };
}
