import {
  AckPolicy,
  type ConsumerConfig,
  DeliverPolicy,
  DiscardPolicy,
  JetStreamApiError,
  type JetStreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from '@nats-io/jetstream';
import type { Consumer } from '../port.ts';
import { covers, overlap, type StreamPlans } from '../subjects.ts';
import { MAX_ENVELOPE_BYTES } from '../wire.ts';

const NANOS_PER_MS = 1_000_000;
const DAY_MS = 86_400_000;
const DUPLICATE_WINDOW_MS = 120_000;

/** Where the bus keeps its own notes: who leads a consumer, and how often a message has been tried. */
export const RECORDS = 'GPUAAS_BUS';
export const RECORD_SUBJECTS = 'gpuaas.bus';

const NO_SUCH_STREAM = 10059;
const NO_SUCH_CONSUMER = 10014;
const STREAM_NAME_TAKEN = 10058;

const isApiError = (error: unknown, ...codes: number[]): boolean =>
  error instanceof JetStreamApiError && codes.includes(error.code);
export const isMissing = (error: unknown): boolean => isApiError(error, NO_SUCH_STREAM, NO_SUCH_CONSUMER);

export interface StreamLimits {
  /** The oldest messages of a stream make room when it grows beyond this, read or not. */
  readonly maxBytes: number;
  readonly replicas: number;
}

/** Creates what is missing and changes what differs. May run at the same time in many processes. */
export async function ensureStreams(jsm: JetStreamManager, streams: StreamPlans, limits: StreamLimits): Promise<void> {
  for (const [name, plan] of Object.entries(streams))
    await ensureStream(jsm, {
      name,
      subjects: [plan.subjects],
      max_age: plan.maxAgeDays * DAY_MS * NANOS_PER_MS,
      max_bytes: limits.maxBytes,
      max_msg_size: MAX_ENVELOPE_BYTES + 8_192,
      max_msgs_per_subject: -1,
      duplicate_window: DUPLICATE_WINDOW_MS * NANOS_PER_MS,
      num_replicas: limits.replicas,
    });
  await ensureStream(jsm, {
    name: RECORDS,
    subjects: [`${RECORD_SUBJECTS}.>`],
    max_age: 30 * DAY_MS * NANOS_PER_MS,
    max_bytes: limits.maxBytes,
    max_msg_size: 16_384,
    max_msgs_per_subject: 1,
    duplicate_window: DUPLICATE_WINDOW_MS * NANOS_PER_MS,
    num_replicas: limits.replicas,
  });
}

async function ensureStream(jsm: JetStreamManager, wanted: Partial<StreamConfig> & { name: string }): Promise<void> {
  const config = {
    ...wanted,
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    discard: DiscardPolicy.Old,
  };
  try {
    const { config: found } = await jsm.streams.info(wanted.name);
    if (!differs(found, config)) return;
  } catch (error) {
    if (!isApiError(error, NO_SUCH_STREAM)) throw error;
    try {
      await jsm.streams.add(config);
      return;
    } catch (adding) {
      // Another process was faster, perhaps with other limits: ours are then an update like any other.
      if (!isApiError(adding, STREAM_NAME_TAKEN)) throw adding;
    }
  }
  // What a stream is cannot change, only what it keeps.
  const { storage: _, retention: __, ...changeable } = config;
  await jsm.streams.update(wanted.name, changeable);
}

const differs = (found: object, wanted: object): boolean =>
  Object.entries(wanted).some(([key, value]) => JSON.stringify(Reflect.get(found, key)) !== JSON.stringify(value));

/** The part of one stream that a consumer wants. */
export interface Share {
  readonly stream: string;
  readonly patterns: readonly string[];
}

export function sharesOf(consumer: Consumer, streams: StreamPlans): Share[] {
  return Object.entries(streams).flatMap(([stream, plan]) => {
    const wanted = consumer.subjects.filter((pattern) => overlap(pattern, plan.subjects));
    const patterns = wanted.map((pattern) => (covers(pattern, plan.subjects) ? plan.subjects : pattern));
    return patterns.length > 0 ? [{ stream, patterns: widest(patterns) }] : [];
  });
}

/** Patterns that say the same as the given ones without covering each other, which a server would refuse. */
const widest = (patterns: readonly string[]): string[] => {
  const unique = [...new Set(patterns)];
  return unique.filter((one) => !unique.some((other) => other !== one && covers(other, one)));
};

/** Since 2.10 a server sorts out several subjects itself; an older one sends the whole stream and we sort it out. */
const takesManyFilters = (version: string): boolean => {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 2 || (major === 2 && minor >= 10);
};

/**
 * Makes sure of the durable consumer. The server never gives up a message by itself (`max_deliver` is without limit):
 * tries are counted here, and only `dead` ends a message that failed.
 */
export async function ensureConsumer(
  jsm: JetStreamManager,
  share: Share,
  consumer: Consumer,
  options: { readonly serverVersion: string; readonly window: number; readonly from: DeliverPolicy },
): Promise<void> {
  const [only, ...more] = share.patterns;
  const filter: Partial<ConsumerConfig> =
    more.length === 0 && only !== undefined
      ? { filter_subject: only }
      : takesManyFilters(options.serverVersion)
        ? { filter_subjects: [...share.patterns] }
        : {};
  const changeable: Partial<ConsumerConfig> = {
    ...filter,
    ack_wait: consumer.ackWaitMs * NANOS_PER_MS,
    max_ack_pending: options.window,
    max_deliver: -1,
  };
  try {
    const { config: found } = await jsm.consumers.info(share.stream, consumer.name);
    const stale = (found.filter_subject ?? '') !== (filter.filter_subject ?? '') || differs(found, changeable);
    if (stale) await jsm.consumers.update(share.stream, consumer.name, changeable);
  } catch (error) {
    if (!isApiError(error, NO_SUCH_CONSUMER)) throw error;
    await jsm.consumers.add(share.stream, {
      ...changeable,
      durable_name: consumer.name,
      ack_policy: AckPolicy.Explicit,
      deliver_policy: options.from,
    });
  }
}

export const fromNow = DeliverPolicy.New;
export const fromStart = DeliverPolicy.All;
