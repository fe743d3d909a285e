import {
  type MaasJob,
  maasJobGet,
  maasJobList,
  maasMachineCommission,
  maasMachineDecommission,
  maasMachineGet,
  maasMachineList,
  maasMachinePower,
  maasOnboard,
} from '@gpuaas/contract';
import { type Act, type Database, handlers, type Mounted, type WriteTx } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Ids } from '../../kernel/id.ts';
import { readPage } from '../../kernel/page.ts';
import { findSku } from '../inventory/index.ts';
import { holdings } from '../nodes/index.ts';
import { decommissionProblem, onboardProblem, powerProblem } from './preconditions.ts';
import { showJob, showMachine } from './show.ts';
import { siteNotFound } from './sites-routes.ts';
import { findSite, lockSite, type NodeListenerAddress, updateListener } from './sites-store.ts';
import {
  findJob,
  findMachines,
  insertJob,
  type JobRow,
  listJobs,
  listMachines,
  type MachineRow,
  type NewJob,
  namesTaken,
  openJobs,
} from './store.ts';
import { maasChannel } from './watch/channel.ts';

export interface MachineParts {
  readonly db: Database;
  readonly ids: Ids;
  readonly door: () => Promise<NodeListenerAddress>;
}
const on = handlers<MachineParts>();
const machineNotFound = (id: string) =>
  new Fault('maas_machine_not_found', `MAAS lists no machine ${id} at this site.`);
const busy = (id: string) =>
  new Fault('maas_machine_busy', `Another job of machine ${id} is open. See \`gpuaas ops maas job list\`.`);

const machines = on(maasMachineList, async ({ db }, who, { params, query }) => {
  if (!(await db.read(who, (tx) => findSite(tx, params.site_id)))) return siteNotFound();
  return readPage({
    name: 'maas-machines',
    key: 'host' as const,
    query,
    read: (after, limit) =>
      db.read(who, async (tx) => {
        const rows = await listMachines(tx, params.site_id, after, limit);
        const jobs = await openJobs(
          tx,
          params.site_id,
          rows.map(({ system_id }) => system_id),
        );
        return rows.map((row) => ({ row, job: jobs.find(({ system_id }) => system_id === row.system_id) }));
      }),
    keyOf: ({ row }) => row.system_id,
    show: ({ row, job }) => showMachine(row, job),
  });
});

const getMachine = on(maasMachineGet, ({ db }, who, { params }) =>
  db.read(who, async (tx) => {
    const [row] = await findMachines(tx, params.site_id, [params.system_id]);
    if (!row) return machineNotFound(params.system_id);
    const [job] = await openJobs(tx, params.site_id, [params.system_id]);
    return showMachine(row, job);
  }),
);

const onboard = on(maasOnboard, async ({ db, ids, door }, act, { params, body }) => {
  const address = await door();
  return db.write(act, async (tx) => {
    const site = await lockSite(tx, params.site_id);
    if (!site) return tx.abandon(siteNotFound());
    await updateListener(tx, site.id, address);
    const requested = new Map(body.machines.map((each) => [each.system_id, each]));
    const found = await findMachines(tx, site.id, [...requested.keys()]);
    const newJobs: NewJob[] = [];
    for (const each of body.machines) {
      const machine = found.find(({ system_id }) => system_id === each.system_id);
      if (!machine) return tx.abandon(machineNotFound(each.system_id));
      if (machine.is_worked_on) return tx.abandon(busy(each.system_id));
      const why = onboardProblem(machine);
      if (why !== undefined) return tx.abandon(new Fault('maas_machine_unsuited', `${each.system_id}: ${why}`));
      if (!(await findSku(tx, each.sku))) {
        return tx.abandon(new Fault('sku_not_found', `There is no SKU ${each.sku}.`));
      }
      newJobs.push({
        ...{
          id: ids.next(),
          siteId: site.id,
          systemId: each.system_id,
          kind: 'onboard',
          nodeName: each.name ?? machine.hostname,
        },
        ...{ sku: each.sku, reason: body.reason, createdBy: act.actorId },
      });
    }
    const names = newJobs.map(({ nodeName }) => nodeName ?? '');
    const [taken] = [...(await namesTaken(tx, names)), ...names.filter((name, at) => names.indexOf(name) !== at)];
    if (taken !== undefined) {
      return tx.abandon(
        new Fault('node_already_exists', `A node or an open job has the name ${taken} already: choose another name.`),
      );
    }
    const jobs: JobRow[] = [];
    for (const job of newJobs) {
      if (!(await insertJob(tx, job))) return tx.abandon(busy(job.systemId));
      jobs.push((await findJob(tx, job.id)) as JobRow);
    }
    tx.wake(maasChannel, 'job');
    const change = { machines: body.machines, reason: body.reason };
    return tx.commit(
      { jobs: jobs.map(showJob) },
      { target: { type: 'maas_site', id: site.id }, change, events: 'none' },
    );
  });
});

interface JobRequest {
  readonly kind: MaasJob['kind'];
  readonly reason: string;
  readonly findProblem: (tx: WriteTx, machine: MachineRow) => Promise<string | undefined>;
}
const queueJob = async (
  { db, ids, door }: MachineParts,
  act: Act,
  of: { readonly site_id: string; readonly system_id: string },
  { kind, reason, findProblem }: JobRequest,
) => {
  const address = await door();
  return db.write(act, async (tx) => {
    const site = await lockSite(tx, of.site_id);
    if (!site) return tx.abandon(siteNotFound());
    await updateListener(tx, site.id, address);
    const [machine] = await findMachines(tx, site.id, [of.system_id]);
    if (!machine) return tx.abandon(machineNotFound(of.system_id));
    const why = await findProblem(tx, machine);
    if (why !== undefined) return tx.abandon(new Fault('maas_machine_unsuited', why));
    const job: NewJob = {
      ...{ id: ids.next(), siteId: site.id, systemId: machine.system_id, kind, reason, createdBy: act.actorId },
      nodeId: machine.node_id ?? undefined,
    };
    if (!(await insertJob(tx, job))) return tx.abandon(busy(machine.system_id));
    tx.wake(maasChannel, 'job');
    const row = (await findJob(tx, job.id)) as JobRow;
    const change = { kind, system_id: machine.system_id, reason };
    return tx.commit(showJob(row), { target: { type: 'maas_site', id: site.id }, change, events: 'none' });
  });
};

const commission = on(maasMachineCommission, (parts, act, { params, body }) =>
  queueJob(parts, act, params, {
    kind: 'commission',
    reason: body.reason,
    findProblem: async (_, machine) => onboardProblem(machine),
  }),
);
const power = on(maasMachinePower, (parts, act, { params, body }) =>
  queueJob(parts, act, params, {
    kind: body.power === 'on' ? 'power_on' : 'power_off',
    reason: body.reason,
    findProblem: async (_, machine) => powerProblem(machine, body.power),
  }),
);
const decommission = on(maasMachineDecommission, (parts, act, { params, body }) =>
  queueJob(parts, act, params, {
    kind: 'decommission',
    reason: body.reason,
    findProblem: async (tx, machine) =>
      decommissionProblem(machine, machine.node_id === null ? [] : await holdings(tx, machine.node_id)),
  }),
);

const jobs = on(maasJobList, ({ db }, who, { query }) =>
  readPage({
    name: 'maas-jobs',
    query,
    read: (before, limit) =>
      db.read(who, (tx) => listJobs(tx, { before, limit, siteId: query.site_id, state: query.state })),
    keyOf: ({ id }) => id,
    show: showJob,
  }),
);
const job = on(maasJobGet, async ({ db }, who, { params }) => {
  const row = await db.read(who, (tx) => findJob(tx, params.job_id));
  return row ? showJob(row) : new Fault('maas_job_not_found', 'There is no such object.');
});

export const machineRoutes = (parts: MachineParts): Mounted[] =>
  [machines, getMachine, onboard, commission, power, decommission, jobs, job].map((bind) => bind(parts));
