import { type BeginAct, systemViewer, type WriteTx } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import { makeApart, type Reconciler } from '../../kernel/process/reconciler.ts';
import type { Log } from '../../kernel/telemetry/log.ts';
import type { Metrics } from '../../kernel/telemetry/metrics.ts';
import { secondMs } from '../../kernel/units.ts';
import { becomeFailed, becomeReleased, type Changed, giveUp } from './become.ts';
import { guardBatch, retried, useReportedMs } from './facts.ts';
import { countInstances, type Due, listDue } from './guard-store.ts';
import { askStatus, askStop, launch } from './launch.ts';
import { moveTo } from './machine.ts';
import type { InstanceParts } from './parts.ts';
import { holdInstance, type InstanceRow } from './store.ts';
import { continueMove, rollBack } from './upgrades/move-to-version.ts';

export interface GuardParts extends InstanceParts {
  readonly begin: BeginAct;
  readonly log: Log;
  readonly metrics: Metrics;
}
const states = ['requested', 'launching', 'running', 'stopping', 'stopped', 'failed', 'releasing'] as const;

/**
 * Compares instances with their allocations and their containers. It launches what waited for its allocation, fails a launch that stalls, tries it
 * again within the time of its policy, asks hosts how containers are, asks again for what was to end, and ends what has lost its
 * allocation or runs a version that was revoked with the effect to stop. It takes no orders: it looks at rows.
 */
export function makeAppGuard(parts: GuardParts): Reconciler {
  const { db, ids, clock, policies } = parts;
  const apart = makeApart('app-guard', parts);
  const acted = parts.metrics.counter(
    'gpuaas_app_instances_guarded_total',
    'Instances of apps that the guard did something about, by what.',
    ['due'],
  );
  const gauge = parts.metrics.gauge('gpuaas_app_instances', 'Instances of apps that have not ended, by state.', [
    'state',
  ]);
  const oldest = parts.metrics.gauge(
    'gpuaas_app_launching_oldest_seconds',
    'For how long the launch that stands still the longest has not moved on.',
    [],
  );
  async function act(id: string, version: bigint, due: Due): Promise<void> {
    const correlationId = ids.next();
    await db.write(parts.begin('app_instance.guard', { correlationId }), async (tx) => {
      const row = await holdInstance(tx, id);
      if (!row) return tx.abandon(new Fault('app_instance_not_found', 'It is gone.'));
      // It has changed since it was listed: the next round decides from its new state.
      if (row.version !== version) return tx.abandon(new Fault('version_conflict', 'It has changed.'));
      const changed = await actOn(tx, parts, row, due, correlationId);
      acted.inc({ due });
      return tx.commit(undefined, {
        target: { type: 'app_instance', id },
        ...{ organizationId: row.organization_id, projectId: row.project_id },
        change: { due, ...changed?.change },
        events: changed && changed.events.length > 0 ? changed.events : 'none',
      });
    });
  }
  return {
    name: 'app-guard',
    async round() {
      const now = clock.now();
      const who = systemViewer('app-guard', { correlationId: ids.next() });
      const probeSeconds = policies.number('apps.oci_probe_seconds');
      const found = await db.read(who, (tx) =>
        listDue(tx, {
          ...{ now, probeSeconds, retrySeconds: Math.min(probeSeconds, policies.number('apps.oci_retry_seconds')) },
          stallSeconds: policies.number('apps.oci_stall_seconds'),
          recoverySeconds: policies.number('apps.oci_recovery_seconds'),
          ...{ retried, limit: guardBatch, useReportedSeconds: useReportedMs / secondMs },
        }),
      );
      for (const { id, version, due } of found) await apart({ app_instance: id }, () => act(id, version, due));
      const counts = new Map((await db.read(who, (tx) => countInstances(tx, now))).map((row) => [row.state, row]));
      for (const state of states) gauge.set({ state }, counts.get(state)?.instances ?? 0);
      oldest.set(counts.get('launching')?.oldest ?? 0);
      return found.length < guardBatch ? 'idle' : 'more';
    },
  };
}

const moved = (row: InstanceRow, done: Pick<Changed, 'events'> | undefined): Changed | undefined =>
  done && { events: done.events, change: { state: [row.state, 'launching'] } };

/** Nobody has used it for the time of its manifest: it stops, and its volumes stay for the next start. */
async function stopIdle(asked: {
  readonly tx: WriteTx;
  readonly parts: InstanceParts;
  readonly row: InstanceRow;
  readonly correlationId: string;
}): Promise<Changed | undefined> {
  const { tx, parts, row, correlationId } = asked;
  const stopping = await moveTo(tx, row, 'stop', { ids: parts.ids, correlationId, also: { endReason: 'idle' } });
  if (stopping instanceof Fault) return undefined;
  await askStop(asked, { removesVolumes: false });
  return { events: [], change: { state: [stopping.from, stopping.to] } };
}

async function actOn(
  tx: WriteTx,
  parts: InstanceParts,
  row: InstanceRow,
  due: Due,
  correlationId: string,
): Promise<Changed | undefined> {
  const of = { ids: parts.ids, correlationId };
  const asked = { tx, parts, row, correlationId };
  switch (due) {
    case 'allocation_ended':
      return becomeReleased(tx, of, row, 'allocation_ended');
    case 'revoked':
      await askStop(asked, { removesVolumes: false });
      return becomeFailed(tx, of, row, {
        code: 'revoked',
        reason:
          'An operator revoked the trust in this version of the app and ended what runs of it. Launch another version.',
      });
    case 'launch':
    case 'retry': {
      const launched = await launch(tx, parts, row, { correlationId, isAskedAnew: due === 'launch' });
      if (!(launched instanceof Fault)) return { events: launched.events, change: { state: [row.state, 'launching'] } };
      if (launched.code === 'illegal_transition') return undefined;
      const failure = { code: launched.code, reason: launched.message };
      if (due === 'launch') return becomeFailed(tx, of, row, failure);
      // It has failed already. With this reason it is not tried again.
      await giveUp(tx, of, row, failure);
      return undefined;
    }
    case 'move':
      return moved(row, await continueMove(tx, parts, row, { correlationId }));
    case 'roll_back': {
      const why = { code: row.failure_code ?? 'unknown', reason: row.failure_reason ?? '' };
      return moved(row, await rollBack(tx, parts, row, { correlationId, why }));
    }
    case 'idle':
      return stopIdle(asked);
    case 'stalled':
      await askStop(asked, { removesVolumes: false });
      return becomeFailed(tx, of, row, {
        code: 'stalled',
        reason: `Its launch has not moved on since ${row.moved_at.toISOString()}, at ${row.phase ?? 'the order'}.`,
      });
    case 'probe':
      await askStatus(asked);
      return undefined;
    case 'end':
      await askStop(asked, { removesVolumes: row.state === 'releasing' });
      return undefined;
  }
}
