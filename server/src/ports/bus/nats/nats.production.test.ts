import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { afterEach, describe, expect, it } from 'vitest';
import { startNats } from '../../../testing/servers/nats.ts';
import { busConformance } from '../conformance.ts';
import { makeDesk } from '../conformance-desk.ts';
import { openBus } from '../open.ts';

const timing = { ackWaitMs: 1_500, backoffMs: 40, patienceMs: 20_000 };

async function openRig() {
  const server = await startNats();
  const nc = await connect({ servers: server.url, maxReconnectAttempts: -1, reconnectTimeWait: 100 });
  const jsm = await jetstreamManager(nc);
  return {
    ...{ server, jsm },
    config: {
      kind: 'nats' as const,
      url: server.url,
      leaseMs: 900,
      maxBytesPerStream: 64_000_000,
      publishTimeoutMs: 2_000,
    },
    async putRaw(_consumer: string, subject: string, text: string) {
      nc.publish(subject, text);
      await nc.flush();
    },
    async inHand(consumer: string) {
      return (await jsm.consumers.info('BILLING', consumer)).num_ack_pending;
    },
    async outage() {
      await server.kill();
      return { end: () => server.start() };
    },
    async close() {
      await nc.close();
      await server.close();
    },
  };
}

busConformance('nats', openRig, timing);

describe('a NATS server', () => {
  const closers: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });
  const open = async () => {
    const rig = await openRig();
    const desk = makeDesk(rig, timing);
    closers.push(rig.close, desk.clear);
    return { ...rig, desk };
  };

  it('that comes back empty is set up again, for publishers and for those who listened before', async () => {
    const { desk, server } = await open();
    const bus = await desk.open();
    const seen = await desk.listen(bus, {});
    const before = desk.message({ n: 1 });
    await bus.publish([before]);
    await seen.until(() => seen.handled.length === 1);
    await server.kill();
    await server.wipe();
    await server.start();
    const after = desk.message({ n: 2 });
    await desk.eventually(async () => (await bus.publish([after]))[0] !== undefined);
    await seen.until(() => seen.handled.includes(after.id));
    expect(seen.handled).toEqual([before.id, after.id]);
  });

  it('keeps its streams as the newest process wants them', async () => {
    const { desk, config, jsm } = await open();
    await desk.open();
    const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const more = await openBus({ ...config, maxBytesPerStream: 128_000_000 }, { log });
    await more.close();
    const { config: billing } = await jsm.streams.info('BILLING');
    expect(billing).toMatchObject({
      ...{ subjects: ['billing.>'], max_bytes: 128_000_000, storage: 'file', discard: 'old' },
      ...{ duplicate_window: 120_000_000_000, max_age: 7 * 86_400 * 1_000_000_000 },
    });
  });

  it('never gives up a message by itself, and hears what a key and an id are from headers', async () => {
    const { desk, jsm } = await open();
    const bus = await desk.open();
    const seen = await desk.listen(bus, { maxDeliver: 2 });
    const sent = desk.message({}, { key: 'ключ / 1' });
    await bus.publish([sent]);
    await seen.until(() => seen.handled.length === 1);
    expect(seen.deliveries[0]?.message).toEqual(sent);
    const { config } = await jsm.consumers.info('BILLING', seen.name);
    expect(config).toMatchObject({ max_deliver: -1, ack_policy: 'explicit', max_ack_pending: 256 });
    const stored = await jsm.streams.getMessage('BILLING', { last_by_subj: sent.subject });
    expect(stored?.header.get('Nats-Msg-Id')).toBe(sent.id);
    expect(stored?.header.get('Gpuaas-Key')).toBe(encodeURIComponent(sent.key));
  });

  it('hears that a message is still in work, and does not hand it out again', async () => {
    const { desk, jsm } = await open();
    const bus = await desk.open();
    const seen = await desk.listen(bus, { concurrency: 1, handle: () => desk.sleep(timing.ackWaitMs * 2) });
    await bus.publish([desk.message({ n: 1 }), desk.message({ n: 2 })]);
    await seen.until(() => seen.handled.length === 2);
    const { delivered } = await jsm.consumers.info('BILLING', seen.name);
    expect(delivered.consumer_seq).toBe(2);
  });
});
