import { Type } from 'typebox';
import { makeAppGuard } from '../../domains/app-instances/index.ts';
import { makeAppVerifier, verificationChannel } from '../../domains/apps/index.ts';
import { answersChannel, makeTasks, sealedSigners } from '../../domains/nodes/index.ts';
import { openPolicies } from '../../domains/policy/index.ts';
import { actsOf } from '../../kernel/act.ts';
import { Secret } from '../../kernel/process/config.ts';
import { showLease } from '../../kernel/process/lease.ts';
import { startReconciler } from '../../kernel/process/reconciler.ts';
import { openKeyring } from '../../kernel/secrets/keyring.ts';
import { lostKeys, lostKeysConfig, requireKeys } from '../../kernel/secrets/sealed-values.ts';
import { secondMs } from '../../kernel/units.ts';
import { defineProcess } from '../../ports/open.ts';
import { openSigners } from '../api/nodes.ts';

/** How late an allocation that became active or has ended is seen, and a launch that stalls. */
const lookEveryMs = 2 * secondMs;
/** How late a version that is due is verified, where the wake-up was lost. */
const verifyEveryMs = 5 * secondMs;

export const appRuntimeWorker = defineProcess({
  name: 'app-runtime-worker',
  summary:
    'Watches the instances of apps (launches, hosts that do not answer, capacity that has ended) and verifies versions of apps.',
  needs: ['database', 'registry'],
  config: Type.Object({
    secretsKey: Type.Optional(
      Secret({
        description: 'The keyring of the api, or its keys for task-signers alone. Without it no tasks are signed.',
      }),
    ),
    appsUrl: Type.Optional(
      Type.String({
        pattern: '^https?://[A-Za-z0-9.:-]{1,255}$',
        description: 'As for the api: the address below which each route of an app has a name of its own.',
      }),
    ),
    ...lostKeysConfig.properties,
  }),
  async start({ config, database, registry, clock, ids, log, metrics, scope }) {
    const db = database.database;
    const policies = scope.keep('policies', await openPolicies({ ...database, db, ids, clock, log }));
    const lease = scope.keep('lease', await database.leases.hold('app-runtime-worker'));
    showLease(lease, metrics);
    const seal = config.secretsKey
      ? openKeyring(config.secretsKey, 'GPUAAS_SECRETS_KEY').seal('task-signers')
      : undefined;
    if (seal) {
      const sealed = sealedSigners({ db, ids, begin: actsOf('secrets', ids), seal });
      await requireKeys([sealed], lostKeys(config.secretsKeysLost));
    }
    const signer = await openSigners({ database, clock, ids, log, scope }, { seal, policies });
    const tasks = makeTasks({ ids, clock, signer });
    const place = config.appsUrl === undefined ? undefined : { url: config.appsUrl, consoleUrl: config.appsUrl };
    const guard = makeAppGuard({
      ...{ db, ids, clock, policies, tasks, place, log, metrics, begin: actsOf('app-guard', ids) },
    });
    const watching = scope.keep(guard.name, startReconciler(guard, { clock, log, lease, everyMs: lookEveryMs }));
    // A host that has answered may have made an allocation active, or ended one.
    scope.keep('app-guard wake-up', await database.listen(answersChannel, watching.wake));
    const verifier = makeAppVerifier({
      ...{ db, ids, clock, registry, log, metrics, begin: actsOf('app-verifier', ids) },
      policy: (key) => policies.number(key),
    });
    const verifying = scope.keep(
      verifier.name,
      startReconciler(verifier, { clock, log, lease, everyMs: verifyEveryMs }),
    );
    scope.keep('app-verifier wake-up', await database.listen(verificationChannel, verifying.wake));
  },
});
