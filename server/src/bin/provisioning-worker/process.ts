import { Type } from 'typebox';
import { openQueue } from '../../domains/allocations/index.ts';
import { makeLogLines, makeLogUpkeep } from '../../domains/logs/index.ts';
import { sealedMaasKeys } from '../../domains/maas/index.ts';
import {
  answersChannel,
  makeAnswers,
  makeTasks,
  type Newcomer,
  sealedSigners,
  showFleet,
} from '../../domains/nodes/index.ts';
import { startConsumer } from '../../domains/outbox/index.ts';
import { openPolicies } from '../../domains/policy/index.ts';
import { makeTelemetryPoints, makeTelemetryUpkeep } from '../../domains/telemetry/index.ts';
import { makeInvitationExpiry } from '../../domains/tenancy/index.ts';
import { actsOf } from '../../kernel/act.ts';
import { Secret } from '../../kernel/process/config.ts';
import { showLease } from '../../kernel/process/lease.ts';
import { startReconciler } from '../../kernel/process/reconciler.ts';
import { openKeyring } from '../../kernel/secrets/keyring.ts';
import { lostKeys, lostKeysConfig, requireKeys } from '../../kernel/secrets/sealed-values.ts';
import { defineProcess } from '../../ports/open.ts';
import { openSigners } from '../api/nodes.ts';
import { serveAllocations } from './allocations.ts';
import { workMachines } from './machines.ts';
import { emptyNodes, watchNodes } from './nodes.ts';

/** How late an expired task is found, and how late a due key begins to sign. Answers are delivered at once. */
const sweepEveryMs = 5_000;
const ageEveryMs = 15_000;

export const provisioningWorker = defineProcess({
  name: 'provisioning-worker',
  summary: 'Runs the sagas: what takes several steps and must be undone when one fails.',
  needs: ['database', 'bus', 'maas', 'sagas'],
  config: Type.Object({
    secretsKey: Type.Optional(
      Secret({
        description:
          'The keyring of the api, or its keys for task-signers and maas alone. Without it no tasks are signed.',
      }),
    ),
    ...lostKeysConfig.properties,
  }),
  async start({ config, database, bus, maas, sagas, clock, ids, log, metrics, scope }) {
    const db = database.database;
    const policies = scope.keep('policies', await openPolicies({ ...database, db, ids, clock, log }));
    // Sagas and consumers run in every worker. What looks for work by itself runs in one of them.
    const lease = scope.keep('lease', await database.leases.hold('provisioning-worker'));
    showLease(lease, metrics);
    const keyring = config.secretsKey ? openKeyring(config.secretsKey, 'GPUAAS_SECRETS_KEY') : undefined;
    const seal = keyring?.seal('task-signers');
    const siteSeal = keyring?.find('maas');
    const sealing = { db, ids, begin: actsOf('secrets', ids) };
    const sealed = [
      ...(seal ? [sealedSigners({ ...sealing, seal })] : []),
      ...(siteSeal ? [sealedMaasKeys({ ...sealing, seal: siteSeal })] : []),
    ];
    await requireKeys(sealed, lostKeys(config.secretsKeysLost));
    const taskSigners = await openSigners({ database, clock, ids, log, scope }, { seal, policies });
    const invitations = makeInvitationExpiry({ db, begin: actsOf('tenancy', ids), ids });
    scope.keep('invitation-expiry', startReconciler(invitations, { clock, log, lease, everyMs: ageEveryMs }));
    scope.keep('task-signer-ageing', startReconciler(taskSigners.ageing, { clock, log, lease, everyMs: ageEveryMs }));
    const upkeep = makeTelemetryUpkeep({ points: makeTelemetryPoints(database.unaudited), policies, clock });
    scope.keep('telemetry-upkeep', startReconciler(upkeep, { clock, log, lease, everyMs: ageEveryMs }));
    const logUpkeep = makeLogUpkeep({ lines: makeLogLines(database.unaudited), policies, clock });
    scope.keep('log-upkeep', startReconciler(logUpkeep, { clock, log, lease, everyMs: ageEveryMs }));
    const answers = makeAnswers({ db, begin: actsOf('nodes', ids), sagas, ids, clock, log });
    const sweeper = scope.keep(
      'task-sweeper',
      startReconciler(answers.sweeper, { clock, log, lease, everyMs: sweepEveryMs }),
    );
    scope.keep('task-sweeper wake-up', await database.listen(answersChannel, sweeper.wake));
    const tasks = makeTasks({ ids, clock, signer: taskSigners });
    const { served, tenants, listeners } = await serveAllocations(
      { database, sagas, clock, ids, log, metrics, scope },
      { policies, tasks, lease, machines: { db, ids, clock, maas, seal: siteSeal } },
    );
    await workMachines({ database, maas, sagas, clock, ids, log, metrics, scope }, { lease, seal: siteSeal, served });
    const fromHere = () => ({
      correlationId: ids.next(),
      traceparent: undefined,
      organizationId: undefined,
      projectId: undefined,
    });
    const onNewcomer = (run: string, newcomer: Newcomer) => sagas.start(served.onboardNode, run, newcomer, fromHere());
    const nodeParts = { database, clock, ids, log, metrics, scope };
    await watchNodes(nodeParts, { policies, onNewcomer, lease });
    await emptyNodes(nodeParts, {
      tenants,
      lease,
      onRemovable: (run, removal) => sagas.start(served.removeNode, run, removal, fromHere()),
    });
    scope.keep(
      'allocation-queue',
      await openQueue({
        ...{ db, ids, clock, log, metrics, policies, tasks, lease, listen: database.listen },
        begin: actsOf('allocation-queue', ids),
      }),
    );
    const consumer = scope.keep(
      'consumer',
      await startConsumer({
        name: 'provisioning-worker',
        db,
        bus,
        begin: actsOf('provisioning-worker', ids),
        log,
        maxAttempts: policies.number('events.consume_max_attempts'),
        listeners,
      }),
    );
    showFleet({ db, ids, clock, policies, metrics });
    const lag = metrics.gauge('gpuaas_events_consumer_lag', 'Events that wait for a consumer.', ['consumer']);
    metrics.onScrape(async () => lag.set({ consumer: 'provisioning-worker' }, await consumer.lag()));
  },
});
