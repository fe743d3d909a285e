import { maasChannel, makeMaasJobs, makeMaasWatch, showMaas } from '../../domains/maas/index.ts';
import { actsOf } from '../../kernel/act.ts';
import type { Lease } from '../../kernel/process/lease.ts';
import type { Common } from '../../kernel/process/process.ts';
import { startReconciler } from '../../kernel/process/reconciler.ts';
import type { Seal } from '../../kernel/secrets/seal.ts';
import type { Ports } from '../../ports/open.ts';
import type { makeSagas } from './sagas.ts';

/** MAAS sends nothing by itself: this is how late it is seen that a machine is deployed or erased, which takes minutes anyway. */
const watchEveryMs = 10_000;
const beginEveryMs = 5_000;

/** Looks at MAAS sites, and begins what was asked of their machines. */
export async function workMachines(
  parts: Pick<Ports, 'database' | 'maas' | 'sagas'> & Omit<Common<unknown>, 'config'>,
  settings: {
    readonly lease: Lease;
    readonly seal: Seal | undefined;
    readonly served: ReturnType<typeof makeSagas>;
  },
): Promise<void> {
  const { database, maas, sagas, clock, ids, log, metrics, scope } = parts;
  const { lease, seal, served } = settings;
  const db = database.database;
  const begin = actsOf('maas', ids);
  const watch = makeMaasWatch({ db, begin, ids, clock, log, maas, seal, sagas });
  const watching = scope.keep('maas-watch', startReconciler(watch, { clock, log, lease, everyMs: watchEveryMs }));
  const jobs = makeMaasJobs({
    ...{ db, begin, ids, sagas },
    served: {
      onboard: served.onboardMachine,
      reimage: served.reimageMachine,
      decommission: served.decommissionMachine,
      commission: served.commissionMachine,
      power_on: served.powerOnMachine,
      power_off: served.powerOffMachine,
    },
  });
  const beginning = scope.keep('maas-jobs', startReconciler(jobs, { clock, log, lease, everyMs: beginEveryMs }));
  const wake = () => {
    watching.wake();
    beginning.wake();
  };
  scope.keep('maas wake-up', await database.listen(maasChannel, wake));
  showMaas({ db, ids, metrics });
}
