import { Type } from 'typebox';
import { makeForgetting, openNotificationRelay, relayProcess } from '../../domains/notifications/index.ts';
import { openPolicies } from '../../domains/policy/index.ts';
import { actsOf } from '../../kernel/act.ts';
import { startReconciler } from '../../kernel/process/reconciler.ts';
import { defineProcess } from '../../ports/open.ts';

const forgetEveryMs = 10 * 60_000;

export const notificationRelay = defineProcess({
  name: relayProcess,
  summary: 'Writes notifications from events, wakes browsers, and notes which mails are to be sent.',
  needs: ['database', 'bus', 'cache'],
  config: Type.Object({}),
  async start({ database, bus, cache, clock, ids, log, metrics, scope }) {
    const db = database.database;
    const begin = actsOf(relayProcess, ids);
    const policies = scope.keep('policies', await openPolicies({ ...database, db, ids, clock, log }));
    const relay = scope.keep(
      'relay',
      await openNotificationRelay({
        ...{ db, bus, cache, begin, ids, clock, log },
        policy: policies.number,
        maxAttempts: policies.number('events.consume_max_attempts'),
      }),
    );
    const forgetting = makeForgetting({ db, begin, ids });
    scope.keep('notification-expiry', startReconciler(forgetting, { clock, log, everyMs: forgetEveryMs }));
    const lag = metrics.gauge('gpuaas_events_consumer_lag', 'Events that wait for a consumer.', ['consumer']);
    metrics.onScrape(async () => lag.set({ consumer: relayProcess }, await relay.lag()));
  },
});
