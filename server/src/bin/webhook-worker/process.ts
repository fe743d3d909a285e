import { Type } from 'typebox';
import { startConsumer } from '../../domains/outbox/index.ts';
import { openPolicies } from '../../domains/policy/index.ts';
import {
  deliveriesChannel,
  makeDeliveryExpiry,
  makePosting,
  makeWebhookListeners,
  webhookProcess,
} from '../../domains/webhooks/index.ts';
import { actsOf } from '../../kernel/act.ts';
import { Secret } from '../../kernel/process/config.ts';
import { startReconciler } from '../../kernel/process/reconciler.ts';
import { openKeyring } from '../../kernel/secrets/keyring.ts';
import { defineProcess } from '../../ports/open.ts';

/** In case a wake-up was lost, and for deliveries whose next try is due. */
const lookEveryMs = 5_000;
const forgetEveryMs = 10 * 60_000;

export const webhookWorker = defineProcess({
  name: webhookProcess,
  summary: 'Posts events to the webhooks of organizations, signed, and keeps what became of each.',
  needs: ['database', 'bus', 'webhooks'],
  config: Type.Object({
    secretsKey: Secret({
      description: 'The keyring of the api, or its keys for webhooks alone: secrets are sealed with it.',
    }),
  }),
  async start({ config, database, bus, webhooks, clock, ids, log, metrics, scope }) {
    const db = database.database;
    const begin = actsOf(webhookProcess, ids);
    const policies = scope.keep('policies', await openPolicies({ ...database, db, ids, clock, log }));
    const seal = openKeyring(config.secretsKey, 'GPUAAS_SECRETS_KEY').seal('webhooks');
    const parts = { db, begin, ids, clock, log, metrics, webhooks, seal, policy: policies.number };
    const posts = scope.keep('posts', makePosting(parts));
    const posting = scope.keep('posting', startReconciler(posts, { clock, log, everyMs: lookEveryMs }));
    posts.onFree(posting.wake);
    scope.keep('posting wake-up', await database.listen(deliveriesChannel, posting.wake));
    const expiry = makeDeliveryExpiry(parts);
    scope.keep('delivery-expiry', startReconciler(expiry, { clock, log, everyMs: forgetEveryMs }));
    const consumer = scope.keep(
      'consumer',
      await startConsumer({
        ...{ name: webhookProcess, db, bus, begin, log, listeners: makeWebhookListeners() },
        maxAttempts: policies.number('events.consume_max_attempts'),
      }),
    );
    const lag = metrics.gauge('gpuaas_events_consumer_lag', 'Events that wait for a consumer.', ['consumer']);
    metrics.onScrape(async () => lag.set({ consumer: webhookProcess }, await consumer.lag()));
  },
});
