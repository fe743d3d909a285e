import { type BusConfig, openBus } from './open.ts';

/** The process that the suite kills: it says what it does to its parent, and never finishes a message. */
const { config, consumer, ackWaitMs } = JSON.parse(process.argv[2] ?? '') as {
  readonly config: BusConfig;
  readonly consumer: string;
  readonly ackWaitMs: number;
};
const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const bus = await openBus(config, { log });
await bus.consume({
  name: consumer,
  subjects: ['billing.>'],
  maxDeliver: 10,
  ackWaitMs,
  backoffMs: 10,
  maxBackoffMs: 10,
  concurrency: 4,
  handle({ message }) {
    process.send?.({ word: 'handling', id: message.id });
    return new Promise(() => undefined);
  },
  dead: async () => undefined,
});
process.send?.({ word: 'listening', id: '' });
