import { fork } from 'node:child_process';
import { systemIds } from '../../kernel/id.ts';
import { makeBusDepths } from './depths.ts';
import { type BusConfig, openBus } from './open.ts';
import type { Bus, BusDepths, Consumer, Consuming, Delivery, Message } from './port.ts';

/** A bus server under test, and what the suite does to it behind the port's back. */
export interface Rig {
  readonly config: BusConfig;
  /** Puts text on the wire that `publish` would never send, for one consumer at least. */
  putRaw(consumer: string, subject: string, text: string): Promise<void>;
  /** How many messages of a consumer are out of the server's hands. */
  inHand(consumer: string): Promise<number>;
  outage(): Promise<{ end(): Promise<void> }>;
  close(): Promise<void>;
}

export interface Timing {
  readonly ackWaitMs: number;
  readonly backoffMs: number;
  /** After this long the suite no longer believes that something will happen. */
  readonly patienceMs: number;
}

/** What a consumer of the suite has seen. */
export interface Seen {
  readonly name: string;
  readonly consuming: Consuming;
  readonly deliveries: Delivery[];
  /** Ids in the order in which their handlers finished. */
  readonly handled: string[];
  readonly dead: { readonly id: string; readonly attempt: number; readonly reason: string }[];
  attempts(id?: string): number[];
  subjects(): string[];
  /** Resolves as soon as something happened that makes it true. */
  until(isTrue: () => boolean): Promise<void>;
}

export type Listening = Partial<Omit<Consumer, 'handle' | 'dead'>> & {
  readonly handle?: (delivery: Delivery) => Promise<unknown>;
  readonly dead?: (delivery: Delivery, reason: string) => Promise<void>;
};

export type Desk = ReturnType<typeof makeDesk>;

export function makeDesk(rig: Rig, timing: Timing) {
  const closers: (() => Promise<unknown>)[] = [];
  const complaints: string[] = [];
  const log = {
    info: () => undefined,
    warn: (fields: object, message: string) => void complaints.push(`${message} ${JSON.stringify(fields)}`),
    error: (fields: object, message: string) => void complaints.push(`${message} ${JSON.stringify(fields)}`),
  };
  const name = () => `suite-${systemIds.secret(6)}`;
  const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

  const tooLate = (what: () => string) => {
    let timer: NodeJS.Timeout | undefined;
    const rejected = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => reject(new Error(`${what()}; lately: ${complaints.slice(-5).join(' | ')}`)),
        timing.patienceMs,
      );
    });
    return { rejected, end: () => clearTimeout(timer) };
  };

  return {
    name,
    sleep,
    range: (count: number) => Array.from({ length: count }, (_, n) => n),
    /** Numbers from 0 to 1 that are the same in every run. */
    dice(seed: number) {
      let state = seed;
      return () => {
        state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
        return state / 2_147_483_648;
      };
    },
    gate() {
      const { promise, resolve } = Promise.withResolvers<void>();
      closers.push(async () => resolve());
      return { open: promise, release: resolve };
    },
    async open(): Promise<Bus> {
      const bus = await openBus(rig.config, { log });
      closers.push(() => bus.close());
      return bus;
    },
    depths(): BusDepths {
      const depths = makeBusDepths(rig.config, { log });
      closers.push(() => depths.close());
      return depths;
    },
    message(payload: object, more: { subject?: string; key?: string } = {}): Message {
      const id = systemIds.next();
      const subject = more.subject ?? 'billing.balance_depleted';
      return {
        ...{ id, subject, key: more.key ?? id },
        envelope: {
          event_id: id,
          event_type: subject,
          occurred_at: '2026-01-01T00:00:00.000Z',
          version: '1',
          correlation_id: `correlation of ${id}`,
          payload,
        },
      };
    },
    async listen(bus: Bus, options: Listening): Promise<Seen> {
      const deliveries: Delivery[] = [];
      const handled: string[] = [];
      const dead: { id: string; attempt: number; reason: string }[] = [];
      let changed = Promise.withResolvers<void>();
      const note = () => {
        changed.resolve();
        changed = Promise.withResolvers<void>();
      };
      const consumer: Consumer = {
        name: name(),
        subjects: ['billing.>'],
        maxDeliver: 10,
        ackWaitMs: timing.ackWaitMs,
        backoffMs: timing.backoffMs,
        maxBackoffMs: timing.backoffMs * 8,
        concurrency: 4,
        ...options,
        async handle(delivery) {
          deliveries.push(delivery);
          note();
          // A yield, so that what the handler does to the world is seen by those who wait for the note.
          await Promise.resolve();
          const work = options.handle?.(delivery);
          note();
          await work;
          handled.push(delivery.message.id);
          note();
        },
        async dead(delivery, reason) {
          dead.push({ id: delivery.message.id, attempt: delivery.attempt, reason });
          note();
          await options.dead?.(delivery, reason);
        },
      };
      const consuming = await bus.consume(consumer);
      const seen: Seen = {
        ...{ name: consumer.name, consuming, deliveries, handled, dead },
        attempts: (id) =>
          deliveries.filter(({ message }) => id === undefined || message.id === id).map(({ attempt }) => attempt),
        subjects: () => deliveries.map(({ message }) => message.subject).toSorted(),
        async until(isTrue) {
          const late = tooLate(
            () =>
              `in vain: ${isTrue} after ${deliveries.length} deliveries, ${handled.length} handled, ${dead.length} dead`,
          );
          try {
            while (!isTrue()) await Promise.race([changed.promise, late.rejected]);
          } finally {
            late.end();
          }
        },
      };
      return seen;
    },
    /** For what only the server knows: asks until it is so. A server that does not answer has not said no. */
    async eventually(isTrue: () => Promise<boolean>): Promise<void> {
      let answer: unknown;
      const late = tooLate(() => `in vain: ${isTrue}, which answered ${answer}`);
      const ask = async () => {
        answer = await isTrue().catch((error: unknown) => error);
        return answer === true;
      };
      try {
        while (!(await Promise.race([ask(), late.rejected]))) await Promise.race([sleep(20), late.rejected]);
      } finally {
        late.end();
      }
    },
    /** A process that takes a message, never finishes it, and can be killed. */
    async startVictim(consumer: string) {
      const child = fork(new URL('./conformance-victim.ts', import.meta.url), [
        JSON.stringify({ config: rig.config, consumer, ackWaitMs: timing.ackWaitMs }),
      ]);
      const words = new Map([
        ['listening', Promise.withResolvers<string>()],
        ['handling', Promise.withResolvers<string>()],
      ]);
      child.on('message', ({ word, id }: { word: string; id: string }) => words.get(word)?.resolve(id));
      child.once('exit', (code) => {
        for (const word of words.values()) word.reject(new Error(`the victim ended with ${code}`));
      });
      const kill = async () => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        const gone = new Promise((resolve) => child.once('exit', resolve));
        child.kill('SIGKILL');
        await gone;
      };
      closers.push(kill);
      for (const word of words.values()) word.promise.catch(() => undefined);
      await words.get('listening')?.promise;
      return { handling: words.get('handling')?.promise, kill };
    },
    /** Ends whatever a test has left behind, the youngest first. */
    async clear(): Promise<void> {
      for (const close of closers.splice(0).reverse()) await close();
      complaints.length = 0;
    },
  };
}
