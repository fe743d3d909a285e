import { appInstanceCreate, type Input, type ParameterValue, takeParameters } from '@gpuaas/contract';
import { type Act, handlers, type InProject, type Mounted, type WriteTx } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import { readLeased } from '../allocations/index.ts';
import { findLaunchable, type Launchable } from '../apps/index.ts';
import { mostPerAllocation } from './facts.ts';
import { launch, whyNoContainers } from './launch.ts';
import { whyNotTheirs } from './may-launch.ts';
import type { CreateParts } from './routes.ts';
import { putRoutes } from './routing.ts';
import { showInstance } from './show.ts';
import { countInstances, findInstance, holdCapacityOf, type InstanceRow, insertInstance } from './store.ts';
import { otherCurrency } from './use/payer-currency.ts';

type Wish = Input<typeof appInstanceCreate>['body'];
type Launcher = Act & InProject;

const on = handlers<CreateParts>();

/** The version and the values of a launch, or what is wrong with them. */
async function resolve(tx: WriteTx, act: Launcher, wish: Wish) {
  const found = await findLaunchable(tx, act, { reference: wish.app, version: wish.version });
  if (!found)
    return new Fault('app_version_not_found', `There is no app ${wish.app} for this project in that version.`);
  if (!found.launch.allowed) return new Fault('app_not_launchable', found.launch.reason);
  const unpayable = await otherCurrency(tx, act.organizationId, found.manifest);
  if (unpayable) return unpayable;
  const taken = takeParameters(found.manifest.parameters, wish.parameters ?? {});
  if ('problems' in taken) {
    const [first] = taken.problems;
    return new Fault('app_parameters_invalid', `${first?.field} ${first?.message}.`, { problems: taken.problems });
  }
  return { version: found, values: taken.values };
}

/** The allocation of a launch: one of the project that is active, or a new one. */
async function takeCapacity(tx: WriteTx, parts: CreateParts, act: Launcher, wish: Wish) {
  if ((wish.allocation_id === undefined) === (wish.allocation === undefined)) {
    return new Fault('validation_error', 'Name allocation_id, or describe a new one in allocation; not both.', {
      field: 'allocation_id',
    });
  }
  if (wish.allocation !== undefined) {
    const made = await parts.capacity.request(tx, act, wish.allocation);
    return made instanceof Fault ? made : { id: made.id, isNew: true, events: made.events };
  }
  const id = wish.allocation_id ?? '';
  const held = await holdCapacityOf(tx, id, act);
  if (!held) return new Fault('allocation_not_found', 'The project has no such allocation.');
  const refused = whyNotTheirs(held, act) ?? whyNoContainers(await readLeased(tx, id));
  if (refused) return refused;
  if ((await countInstances(tx, id)) >= mostPerAllocation) {
    return new Fault('app_instance_limit', `An allocation runs ${mostPerAllocation} app instances at most.`);
  }
  return { id, isNew: false, events: [] };
}

const create = on(appInstanceCreate, async (parts, act, { body }) =>
  parts.db.write(act, async (tx) => {
    const resolved = await resolve(tx, act, body);
    if (resolved instanceof Fault) return tx.abandon(resolved);
    const capacity = await takeCapacity(tx, parts, act, body);
    if (capacity instanceof Fault) return tx.abandon(capacity);
    const row = await insert(tx, parts, act, body, { ...resolved, capacity });
    const about = { correlationId: act.correlationId, isAskedAnew: true };
    // With a new allocation the worker launches once that is active.
    const launched = capacity.isNew ? { events: [] } : await launch(tx, parts, row, about);
    if (launched instanceof Fault) {
      if (launched.code === 'illegal_transition') throw launched;
      return tx.abandon(launched as Fault<'app_not_launchable' | 'app_not_supported' | 'allocation_not_active'>);
    }
    const now = (await findInstance(tx, row.id)) ?? row;
    return tx.commit(showInstance(now, parts.place), {
      target: { type: 'app_instance', id: row.id },
      change: { app: row.app_reference, app_version: row.app_version, allocation_id: row.allocation_id },
      events: [...capacity.events, ...launched.events],
    });
  }),
);

async function insert(
  tx: WriteTx,
  parts: CreateParts,
  act: Launcher,
  wish: Wish,
  of: {
    readonly version: Launchable;
    readonly values: Readonly<Record<string, ParameterValue>>;
    readonly capacity: { readonly id: string; readonly isNew: boolean };
  },
): Promise<InstanceRow> {
  const { version } = of;
  const id = parts.ids.next();
  const instance = {
    ...{ id, organization_id: act.organizationId, project_id: act.projectId, allocation_id: of.capacity.id },
    ...{ app_version_id: version.versionId, app_reference: version.reference, app_version: version.version },
    ...{ requested_by: act.actorId, name: wish.name ?? version.manifest.metadata.name },
    ...{ owns_allocation: of.capacity.isNew, parameters: of.values },
  };
  await insertInstance(tx, instance);
  await putRoutes(tx, instance, version.manifest, parts.ids);
  const row = await findInstance(tx, id);
  if (!row) throw new Error('an app instance was not stored');
  return row;
}

export const createRoutes = (parts: CreateParts): Mounted[] => [create(parts)];
