import { streams as contractStreams } from '@gpuaas/contract';
import { type ConsumerInfo, type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import type { BusDepths, ConsumerDepth } from '../port.ts';
import type { StreamPlans } from '../subjects.ts';
import type { NatsBusOptions } from './nats.ts';
import { isMissing } from './streams.ts';

const timeout = 5_000;

export async function openNatsDepths(
  options: Pick<NatsBusOptions, 'url' | 'credentials'> & { readonly streams?: StreamPlans },
): Promise<BusDepths> {
  const nc = await connect({ servers: options.url, name: 'gpuaas-depths', timeout, ...options.credentials });
  const jsm = await jetstreamManager(nc, { timeout }).catch(async (error: unknown) => {
    await nc.close();
    throw error;
  });
  return {
    async read() {
      const found = new Map<string, ConsumerDepth>();
      for (const stream of Object.keys(options.streams ?? contractStreams)) {
        for (const info of await consumersOf(jsm, stream)) {
          const before = found.get(info.name);
          found.set(info.name, {
            consumer: info.name,
            waiting: (before?.waiting ?? 0) + info.num_pending + info.num_ack_pending,
            oldestAt: earlier(before?.oldestAt, await oldestOf(jsm, info)),
          });
        }
      }
      return [...found.values()].sort((one, other) => one.consumer.localeCompare(other.consumer));
    },
    close: () => nc.close(),
  };
}

/** A stream that nobody has published to or listened on yet has no consumers. */
async function consumersOf(jsm: JetStreamManager, stream: string): Promise<ConsumerInfo[]> {
  const all: ConsumerInfo[] = [];
  try {
    for await (const info of jsm.consumers.list(stream)) all.push(info);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  return all;
}

const earlier = (one: Date | undefined, other: Date | undefined): Date | undefined =>
  one && other ? (one < other ? one : other) : (one ?? other);

/** The first message that it wants after all those that it has acknowledged without a gap. */
async function oldestOf(jsm: JetStreamManager, info: ConsumerInfo): Promise<Date | undefined> {
  if (info.num_pending + info.num_ack_pending === 0) return undefined;
  const { filter_subject: one, filter_subjects: several } = info.config;
  let oldest: Date | undefined;
  for (const subject of several ?? [one ?? '>']) {
    const next = { seq: info.ack_floor.stream_seq + 1, next_by_subj: subject };
    const message = await jsm.streams.getMessage(info.stream_name, next);
    oldest = earlier(oldest, message?.time);
  }
  return oldest;
}
