import type { NodeTaskType } from '@gpuaas/contract/node';
import { type Database, type ReadTx, systemViewer } from '../../../kernel/act.ts';
import type { Saga } from '../../../kernel/saga.ts';
import type { Origin, Sagas } from '../../../ports/sagas/port.ts';
import { readLastTask } from '../../nodes/index.ts';
import { readLeaseState } from '../life/leased.ts';
import type { OfLease } from '../life/parts.ts';
import { provisionTaskTypes } from '../tasks/provision-task.ts';
import { needsReimage, vacateTaskTypes } from '../tasks/vacate-task.ts';
import type { Provision } from './provision.ts';
import type { Vacate } from './vacate.ts';

export interface AllocationSagas {
  readonly provision: Saga<Provision>;
  readonly vacate: Saga<Vacate>;
  readonly vacateAndReimage: Saga<Vacate>;
}
/** What a lease that is on its way needs. `task` is the one that ended and was not applied. */
type Need = { readonly task?: string };

/**
 * Begins the runs of provisioning and releasing, where one is needed. A lease whose node was asked in the transaction that
 * placed or released it needs none: the transaction of the node's result completes it. A run is needed when nobody asked the
 * node, when the task is late, when it ended and its result was not applied, and when there is more than one answer to wait for.
 *
 * Events and the guard over unattended leases both begin runs here, under the same names, so one of them is enough and both
 * do no harm.
 */
export function makeBeginRuns(parts: {
  readonly db: Database;
  readonly sagas: Pick<Sagas, 'start'>;
  readonly served: AllocationSagas;
}) {
  const { sagas, served } = parts;
  const look = <T>({ correlationId }: Origin, work: (tx: ReadTx) => Promise<T>): Promise<T> =>
    parts.db.read(systemViewer('provisioning-worker', { correlationId }), work);
  return {
    async provision({ allocationId, generation }: OfLease, origin: Origin, isLate = false): Promise<void> {
      const lease = { allocationId, generation };
      const need = await look(origin, async (tx) => {
        const found = await readLeaseState(tx, allocationId, generation);
        const isOnItsWay = found?.state === 'requested' || found?.state === 'provisioning';
        return isOnItsWay && found.generation === generation
          ? needOf(tx, lease, provisionTaskTypes, isLate)
          : undefined;
      });
      if (need) await sagas.start(served.provision, `${allocationId}.${generation}`, { ...lease, ...need }, origin);
    },

    /** A release. Its attempts have runs of their own. */
    async release(
      { allocationId, generation, attempt }: OfLease & { readonly attempt: number },
      forced: boolean,
      origin: Origin,
      isLate = false,
    ): Promise<void> {
      const lease = { allocationId, generation };
      const [reimages, need] = await look(origin, async (tx) => {
        const found = await readLeaseState(tx, allocationId, generation);
        if (found?.state !== 'releasing' || found.generation !== generation) return [false, undefined] as const;
        const tasked = await needOf(tx, lease, vacateTaskTypes, isLate);
        return needsReimage(found) ? ([true, tasked ?? {}] as const) : ([false, tasked] as const);
      });
      const saga = reimages ? served.vacateAndReimage : served.vacate;
      const params = { ...lease, ...need, afterwards: 'available' as const, forced };
      if (need) await sagas.start(saga, `${allocationId}.${generation}.${attempt}`, params, origin);
    },

    /** Cleaning after a failure: something has gone wrong, and nobody has asked the node. */
    async cleanUp(run: string, params: Vacate, origin: Origin): Promise<void> {
      const found = await look(origin, (tx) => readLeaseState(tx, params.allocationId));
      const reimages = found !== undefined && needsReimage(found);
      await sagas.start(reimages ? served.vacateAndReimage : served.vacate, run, params, origin);
    },
  };
}
export type BeginRuns = ReturnType<typeof makeBeginRuns>;

async function needOf(
  tx: ReadTx,
  lease: OfLease,
  types: readonly NodeTaskType[],
  isLate: boolean,
): Promise<Need | undefined> {
  const last = await readLastTask(tx, { ...lease, types });
  if (last?.isOpen) return isLate ? {} : undefined;
  // A task that no node had says nothing about the node: the run asks anew.
  return !last || last.isAdopted || last.isVoid ? {} : { task: last.id };
}
