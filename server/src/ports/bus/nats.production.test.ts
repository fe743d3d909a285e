import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { startNats } from '../../testing/servers/nats.ts';
import { busConformance } from './conformance.ts';

busConformance(
  'nats',
  async () => {
    const server = await startNats();
    const nc = await connect({ servers: server.url, maxReconnectAttempts: -1, reconnectTimeWait: 100 });
    return {
      config: { kind: 'nats', url: server.url, leaseMs: 900, maxBytesPerStream: 64_000_000, publishTimeoutMs: 2_000 },
      async putRaw(_consumer, subject, text) {
        nc.publish(subject, text);
        await nc.flush();
      },
      async inHand(consumer) {
        const jsm = await jetstreamManager(nc);
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
  },
  { ackWaitMs: 1_500, backoffMs: 40, patienceMs: 20_000 },
);
