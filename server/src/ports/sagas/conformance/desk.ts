import { Type } from 'typebox';
import { afterEach, beforeEach, vi } from 'vitest';
import { systemClock } from '../../../kernel/clock.ts';
import { systemIds } from '../../../kernel/id.ts';
import { defineSaga } from '../../../kernel/saga.ts';
import { silentLog } from '../../../kernel/telemetry/log.ts';
import type { SagaRuns, Sagas } from '../port.ts';
import { makeSagaRuns } from '../runs.ts';
import { type Bench, nothing, origin } from './bench.ts';

type AnySaga = ReturnType<typeof defineSaga<object>>;

export const order = { by: 'ada', reason: 'the rack is being moved' };
export const patience = { timeout: 30_000, interval: 20 };
/** So long that a test would not see its end. */
const long = { attempts: 3, firstDelayMs: 600_000, maxDelayMs: 600_000 };

/** The desk of an operator: sagas that run, what they noted, and the orders that a person may give. */
export class Desk {
  readonly #bench: Bench;
  sagas!: Sagas;
  runs!: SagaRuns;
  notes: string[] = [];
  constructor(bench: Bench) {
    this.#bench = bench;
  }

  note(line: string): void {
    this.notes.push(line);
  }
  async open(): Promise<void> {
    this.notes = [];
    this.sagas = await this.#bench.open('ordered');
    this.runs = makeSagaRuns(this.#bench.config('desk'), { clock: systemClock, log: silentLog });
  }
  async begin(saga: AnySaga): Promise<string> {
    await this.sagas.serve([saga]);
    const id = systemIds.next();
    await this.sagas.start(saga, id, {}, origin);
    return id;
  }
  /** The only worker goes away. */
  close(): Promise<void> {
    return this.#bench.close(this.sagas);
  }
  /** Another worker takes the place of the one that was closed. */
  async reopen(saga: AnySaga): Promise<void> {
    this.sagas = await this.#bench.open('ordered');
    await this.sagas.serve([saga]);
  }
  /** Once the run does this, as an operator sees it. */
  seen(saga: { readonly name: string }, id: string, doing: string) {
    return vi.waitUntil(async () => {
      const run = await this.runs.find(saga.name, id);
      return run?.standing?.doing === doing ? run : undefined;
    }, patience);
  }
}

/** A desk that is opened before each test and closed after it. */
export function deskOf(bench: Bench): Desk {
  const desk = new Desk(bench);
  beforeEach(() => desk.open());
  afterEach(() => desk.runs.close());
  return desk;
}

/** Fails so often, with a long pause after each failure. */
export function shakySaga(desk: Desk, name: string, failures: number) {
  let left = failures;
  return defineSaga<object>(name, 1)
    .step('before', { do: async () => 0, undo: async ({ calledOff }) => desk.note(`undo before, ${calledOff}`) })
    .step('shaky', {
      do: async () => {
        desk.note('shaky');
        left -= 1;
        if (left >= 0) throw new Error('not yet');
      },
      undo: nothing,
      retry: long,
    })
    .step('after', { do: async () => desk.note('after'), undo: nothing });
}

/** Waits for an answer that nobody gives. */
export const waitingSaga = (desk: Desk, name: string, tell: (token: string) => void) =>
  defineSaga<object>(name, 1)
    .step('before', { do: async () => 0, undo: async ({ calledOff }) => desk.note(`undo before, ${calledOff}`) })
    .wait('boot', {
      ask: async (_, token) => tell(token),
      answer: Type.Object({}),
      timeoutMs: 600_000,
      undo: async () => desk.note('undo boot'),
    });
