import {
  type Allocation,
  allocationExtend,
  allocationRelease,
  allocationRestart,
  allocationSetSshKeys,
  allocationUpdate,
  provisioningRestartRequested,
  showMoney,
} from '@gpuaas/contract';
import { type Act, handlers, type Mounted, type Receipt, type WriteTx } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import { secondMs } from '../../kernel/units.ts';
import { secondsPerHour } from './facts.ts';
import { authoritiesFor } from './keys/authorities.ts';
import { absentKey, lastsFor } from './launch/launch-request.ts';
import { findKeys, insertKeys, listKeys, removeKeysExcept } from './launch/launch-store.ts';
import { noteAllocation, updateFacts } from './life/machine.ts';
import { releaseAllocation } from './life/release.ts';
import type { AllocationParts } from './parts.ts';
import { whoWaitsFor } from './queue/extension.ts';
import { type AllocationRow, extendAllocation, findAllocation, holdAllocation, updateAllocation } from './store.ts';
import { stoppedWords, takesKeys } from './views/actions.ts';
import { costMinor, perHourMinor } from './views/price.ts';
import { absent, showDetail } from './views/read-routes.ts';
import { showAllocation } from './views/show.ts';

const on = handlers<AllocationParts>();
const targetOf = (id: string) => ({ type: 'allocation', id });
const isEnded = ({ state }: AllocationRow) => state === 'released' || state === 'failed';
const notNow = ({ state }: AllocationRow) =>
  new Fault('illegal_transition', `It is ${state}, which does not allow this.`, { state });
const notActive = ({ state }: AllocationRow) =>
  new Fault('allocation_not_active', `It is ${state}; only an active allocation can.`, { state });

/** Commits with the allocation as it is now. */
async function done(tx: WriteTx, parts: AllocationParts, act: Act, id: string, receipt: Omit<Receipt, 'target'>) {
  const row = await findAllocation(tx, id);
  if (!row) throw new Error('an allocation is gone');
  return tx.commit<Allocation>(showAllocation(row, parts.limits(act)), { ...receipt, target: targetOf(id) });
}

const release = on(allocationRelease, async (parts, act, { params, body }) =>
  parts.db.write(act, async (tx) => {
    const released = await releaseAllocation(tx, parts, act, params.allocation_id, {
      reason: 'user',
      said: body.reason,
      forced: false,
      by: act.actorId,
    });
    if (!released) return tx.abandon(absent());
    if (released instanceof Fault) return tx.abandon(released);
    const { from, to } = released.moved;
    const change = { state: [from, to], reason: body.reason };
    return done(tx, parts, act, params.allocation_id, { change, events: released.events });
  }),
);

const update = on(allocationUpdate, async (parts, act, { params, body: { version, ...body } }) =>
  parts.db.write(act, async (tx) => {
    const row = await holdAllocation(tx, params.allocation_id);
    if (!row) return tx.abandon(absent());
    if (version !== undefined && version !== Number(row.version)) {
      return tx.abandon(
        new Fault('version_conflict', `It was changed in the meantime: it is at version ${row.version}.`, {
          version: Number(row.version),
        }),
      );
    }
    if (isEnded(row)) return tx.abandon(notNow(row));
    const { idle } = body;
    const of = { organizationId: row.organization_id, projectId: row.project_id, requestedBy: row.requested_by };
    const locked = body.tags && (await parts.money.checkTags(tx, act, of, row.tags, body.tags));
    if (locked) return tx.abandon(locked);
    await updateAllocation(tx, row.id, {
      name: body.name ?? row.name,
      tags: body.tags ?? row.tags,
      idle_minutes: idle === undefined ? row.idle_minutes : (idle?.minutes ?? null),
      idle_action: idle === undefined ? row.idle_action : (idle?.action ?? null),
    });
    return done(tx, parts, act, row.id, { change: body, events: 'none' });
  }),
);

const extend = on(allocationExtend, async (parts, act, { params, body }) =>
  parts.db.write(act, async (tx) => {
    const row = await holdAllocation(tx, params.allocation_id);
    if (!row) return tx.abandon(absent());
    if (row.state !== 'active') return tx.abandon(notActive(row));
    if (row.max_duration_seconds === null || row.expires_at === null) {
      return tx.abandon(new Fault('duration_invalid', 'It has no end that could be moved.'));
    }
    const seconds = row.max_duration_seconds + body.seconds;
    const longest = parts.policies.number('allocation.max_duration_max_hours', act) * secondsPerHour;
    if (seconds > longest) {
      return tx.abandon(
        new Fault('duration_invalid', `It would last ${seconds} seconds; at most ${longest} are allowed.`, {
          max_duration_seconds: longest,
        }),
      );
    }
    const perHour = perHourMinor(row);
    if (row.max_spend_minor !== null && BigInt(seconds) > lastsFor(row.max_spend_minor, perHour)) {
      return tx.abandon(
        new Fault(
          'duration_invalid',
          `It would cost ${showMoney(costMinor(perHour, seconds), row.currency)}; its cap is ${showMoney(row.max_spend_minor, row.currency)}.`,
          { max_duration_seconds: Number(lastsFor(row.max_spend_minor, perHour)) },
        ),
      );
    }
    const beyond = await parts.money.checkExtension(tx, act, {
      ...{ organizationId: row.organization_id, projectId: row.project_id, requestedBy: row.requested_by },
      ...{ perHour, seconds: body.seconds, tags: row.tags },
    });
    if (beyond) return tx.abandon(beyond);
    const speed = row.simulated ? parts.policies.number('node.simulated_gpu_time_speed') : 1;
    const expiresAt = new Date(row.expires_at.getTime() + (body.seconds * secondMs) / speed);
    const awaited = await whoWaitsFor(parts, act, row, expiresAt);
    if (awaited) return tx.abandon(awaited);
    await extendAllocation(tx, row.id, seconds, expiresAt);
    // The node ends the lease by itself, also without a connection: it needs the new deadline.
    const taskId = await queueShortTask(
      { tx, parts, act, row },
      'allocation.extend_lease',
      { allocation_id: row.id, lease: { deadline_at: expiresAt.toISOString() } },
      { expires_at: expiresAt.toISOString() },
    );
    return done(tx, parts, act, row.id, { change: { expires_at: expiresAt, task_id: taskId }, events: 'none' });
  }),
);

const restart = on(allocationRestart, async (parts, act, { params }) =>
  parts.db.write(act, async (tx) => {
    const row = await holdAllocation(tx, params.allocation_id);
    if (!row) return tx.abandon(absent());
    if (row.state !== 'active') return tx.abandon(notActive(row));
    if (row.stop) return tx.abandon(new Fault('allocation_not_active', stoppedWords, { stop: row.stop.phase }));
    const note = { ids: parts.ids, correlationId: act.correlationId, kind: 'note', name: 'restart_requested' } as const;
    await noteAllocation(tx, row.id, note);
    return done(tx, parts, act, row.id, {
      change: { restart: true },
      events: [
        provisioningRestartRequested.of(row.id, {
          ...{ allocation_id: row.id, organization_id: row.organization_id, project_id: row.project_id },
          ...{ version: Number(row.version), generation: Number(row.generation), simulated: row.simulated },
        }),
      ],
    });
  }),
);

const setSshKeys = on(allocationSetSshKeys, async (parts, act, { params, body }) =>
  parts.db.write(act, async (tx) => {
    const row = await holdAllocation(tx, params.allocation_id);
    if (!row) return tx.abandon(absent());
    // A key is a way into the machine: only its requester and administrators of the organization decide about it.
    if (row.requested_by !== act.actorId && act.actorRole !== 'admin' && act.actorRole !== 'owner') {
      return tx.abandon(
        new Fault('insufficient_permissions', 'Only who created it, or an admin or owner, may change its SSH keys.'),
      );
    }
    if (!takesKeys(row.state)) return tx.abandon(notNow(row));
    const wanted = body.ssh_key_ids;
    // A key that is on the machine already may stay, also one of another person.
    const present = new Set((await listKeys(tx, row.id)).map(({ ssh_key_id }) => ssh_key_id));
    const missing = wanted.filter((id) => !present.has(id));
    const found = await findKeys(tx, missing, act.actorId, row.project_id);
    if (found.length !== missing.length) return tx.abandon(absentKey());
    await removeKeysExcept(tx, row.id, wanted);
    await insertKeys(tx, row.id, row.organization_id, found);
    await updateFacts(tx, row.id, {});
    const keys = await listKeys(tx, row.id);
    // A stopped machine gets its keys when it starts.
    const taskId =
      row.state === 'active' && !row.stop && row.login && row.node_id
        ? await queueShortTask({ tx, parts, act, row }, 'allocation.install_authorized_keys', {
            allocation_id: row.id,
            login: row.login,
            authorized_keys: [...new Set(keys.map(({ public_key }) => public_key))],
            ...(await authoritiesFor(tx, row.node_id)),
          })
        : undefined;
    const detail = await showDetail(tx, parts, act, row.id);
    if (!detail) throw new Error('an allocation is gone');
    return tx.commit(detail, {
      target: targetOf(row.id),
      change: { fingerprints: keys.map(({ fingerprint }) => fingerprint), task_id: taskId },
      events: 'none',
    });
  }),
);

/** Queues a short task for the node of an active allocation. No saga waits for it; its result is in the timeline. */
async function queueShortTask<T extends 'allocation.extend_lease' | 'allocation.install_authorized_keys'>(
  { tx, parts, act, row }: { tx: WriteTx; parts: AllocationParts; act: Act; row: AllocationRow },
  type: T,
  params: Parameters<typeof parts.tasks.queueTask<T>>[1]['params'],
  shown: Readonly<Record<string, string>> = {},
): Promise<string> {
  if (!row.node_id) throw new Error('an active allocation has no node');
  const taskId = await parts.tasks.queueTask(tx, {
    ...{ nodeId: row.node_id, type, params, generation: Number(row.generation), correlationId: act.correlationId },
    ttlSeconds: parts.policies.number('node.task_ttl_seconds'),
    allocation: { id: row.id, organizationId: row.organization_id },
  });
  const note = { ids: parts.ids, correlationId: act.correlationId, kind: 'task', name: type } as const;
  await noteAllocation(tx, row.id, { ...note, detail: { task_id: taskId, ...shown } });
  return taskId;
}

export const lifecycleRoutes = (parts: AllocationParts): Mounted[] =>
  [release, update, extend, restart, setSshKeys].map((bind) => bind(parts));
