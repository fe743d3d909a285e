import type { DeclaredEvent } from '@gpuaas/contract';
import {
  appInstanceGet,
  appInstanceList,
  appInstanceLogs,
  appInstanceLogsRequest,
  appInstanceRelease,
  appInstanceStart,
  appInstanceStop,
  appInstanceTimeline,
} from '@gpuaas/contract';
import { type Act, handlers, type Mounted, type WriteTx } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import { readPage } from '../../kernel/page.ts';
import type { AllocationDoor } from '../allocations/index.ts';
import { becomeReleased } from './become.ts';
import { usualLogLines } from './facts.ts';
import { askLogs, askStop, launch } from './launch.ts';
import { moveTo } from './machine.ts';
import type { InstanceParts } from './parts.ts';
import { showInstance, showLogs, showMoment } from './show.ts';
import { findInstance, holdInstance, type InstanceRow, listInstances, listLogTasks, listMoments } from './store.ts';

/** What the handlers need: launching takes capacity, and releasing gives it back. */
export interface CreateParts extends InstanceParts {
  readonly capacity: AllocationDoor;
}
const on = handlers<CreateParts>();
const absent = () => new Fault('app_instance_not_found', 'There is no such app instance.');

const list = on(appInstanceList, (parts, who, { query }) =>
  readPage({
    name: 'app-instances',
    query,
    read: (before, limit) =>
      parts.db.read(who, (tx) =>
        listInstances(tx, who, { state: query.state, allocation: query.allocation, before, limit }),
      ),
    keyOf: ({ id }) => id,
    show: (row) => showInstance(row, parts.place),
  }),
);

const get = on(appInstanceGet, async (parts, who, { params }) => {
  const row = await parts.db.read(who, (tx) => findInstance(tx, params.app_instance_id));
  return row ? showInstance(row, parts.place) : absent();
});

const timeline = on(appInstanceTimeline, (parts, who, { params, query }) =>
  readPage({
    name: 'app-instance-timeline',
    query,
    read: (after, limit) => parts.db.read(who, (tx) => listMoments(tx, params.app_instance_id, after, limit)),
    keyOf: ({ id }) => id,
    show: showMoment,
  }),
);

/** Commits with the instance as it is now. */
async function done(
  tx: WriteTx,
  parts: CreateParts,
  row: InstanceRow,
  about: { readonly change: object; readonly events: readonly DeclaredEvent[] },
) {
  const now = (await findInstance(tx, row.id)) ?? row;
  return tx.commit(showInstance(now, parts.place), {
    target: { type: 'app_instance', id: row.id },
    change: { state: [row.state, now.state], ...about.change },
    events: about.events.length > 0 ? about.events : 'none',
  });
}
const of = (parts: CreateParts, act: Act) => ({ ids: parts.ids, correlationId: act.correlationId });

const stop = on(appInstanceStop, async (parts, act, { params }) =>
  parts.db.write(act, async (tx) => {
    const row = await holdInstance(tx, params.app_instance_id);
    if (!row) return tx.abandon(absent());
    const moved = await moveTo(tx, row, 'stop', of(parts, act));
    if (moved instanceof Fault) return tx.abandon(moved);
    await askStop({ tx, parts, row, correlationId: act.correlationId }, { removesVolumes: false });
    return done(tx, parts, row, { change: {}, events: [] });
  }),
);

const start = on(appInstanceStart, async (parts, act, { params }) =>
  parts.db.write(act, async (tx) => {
    const row = await holdInstance(tx, params.app_instance_id);
    if (!row) return tx.abandon(absent());
    // What has failed may still have a container: it ends before another one begins.
    if (row.state === 'failed' && row.workload_id !== row.gone_workload_id) {
      const how = { removesVolumes: false, isBeforeLaunch: true };
      await askStop({ tx, parts, row, correlationId: act.correlationId }, how);
    }
    const launched = await launch(tx, parts, row, { correlationId: act.correlationId, isAskedAnew: true });
    if (launched instanceof Fault) return tx.abandon(launched);
    return done(tx, parts, row, { change: {}, events: launched.events });
  }),
);

const release = on(appInstanceRelease, async (parts, act, { params }) =>
  parts.db.write(act, async (tx) => {
    const row = await holdInstance(tx, params.app_instance_id);
    if (!row) return tx.abandon(absent());
    if (row.owns_allocation) {
      const freed = await parts.capacity.release(tx, act, row.allocation_id, 'Its app was released.');
      if (freed instanceof Fault) return tx.abandon(freed);
      // What the host has of the allocation goes with it, containers and volumes among them.
      const released = await becomeReleased(tx, of(parts, act), row, 'user');
      if (!released) return tx.abandon(new Fault('illegal_transition', `It is ${row.state}.`, { state: row.state }));
      return done(tx, parts, row, {
        change: { allocation_id: row.allocation_id },
        events: [...released.events, ...(freed?.events ?? [])],
      });
    }
    const moved = await moveTo(tx, row, 'release', of(parts, act));
    if (moved instanceof Fault) return tx.abandon(moved);
    const isAsked = await askStop({ tx, parts, row, correlationId: act.correlationId }, { removesVolumes: true });
    const released = isAsked ? undefined : await becomeReleased(tx, of(parts, act), row, 'user');
    return done(tx, parts, row, { change: {}, events: released?.events ?? [] });
  }),
);

const logs = on(appInstanceLogs, async (parts, who, { params }) => {
  const found = await parts.db.read(who, async (tx) => {
    const row = await findInstance(tx, params.app_instance_id);
    return row && { tasks: row.workload_id ? await listLogTasks(tx, row.allocation_id, row.workload_id) : [] };
  });
  return found ? showLogs(found.tasks) : absent();
});

const logsRequest = on(appInstanceLogsRequest, async (parts, act, { params, body }) =>
  parts.db.write(act, async (tx) => {
    const row = await findInstance(tx, params.app_instance_id);
    if (!row) return tx.abandon(absent());
    const lines = body.tail_lines ?? usualLogLines;
    if (!(await askLogs({ tx, parts, row, correlationId: act.correlationId }, lines))) {
      return tx.abandon(
        new Fault('app_instance_not_on_host', `It is ${row.state} and has no container on a host that could be asked.`),
      );
    }
    const tasks = await listLogTasks(tx, row.allocation_id, row.workload_id ?? '');
    return tx.commit(showLogs(tasks), {
      target: { type: 'app_instance', id: row.id },
      change: { tail_lines: lines },
      events: 'none',
    });
  }),
);

export const instanceRoutes = (parts: CreateParts): Mounted[] =>
  [list, get, timeline, stop, start, release, logs, logsRequest].map((bind) => bind(parts));
