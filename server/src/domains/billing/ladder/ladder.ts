import {
  autoReleasePending,
  balanceDepleted,
  balanceRecovered,
  type DeclaredEvent,
  lowBalanceWarning,
  machinesStopped,
  provisioningForceReleaseRequested,
} from '@gpuaas/contract';
import { type BeginAct, type Database, systemViewer, type WriteTx } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Ids } from '../../../kernel/id.ts';
import { makeApart, type Reconciler } from '../../../kernel/process/reconciler.ts';
import type { Log } from '../../../kernel/telemetry/log.ts';
import type { Metrics } from '../../../kernel/telemetry/metrics.ts';
import { secondMs } from '../../../kernel/units.ts';
import type { Policies } from '../../policy/index.ts';
import { ladderPage, releaseAgainMs, releasesAtOnce } from '../facts.ts';
import { decideLadder, isChange, runwaySeconds, type Step } from './decide.ts';
import { rulesOf } from './rules.ts';
import {
  countLadders,
  findStanding,
  listLiving,
  listStandings,
  lockAccount,
  type StandingRow,
  standingOf,
  storeStep,
} from './store.ts';

export interface LadderParts {
  readonly db: Database;
  readonly begin: BeginAct;
  readonly ids: Ids;
  readonly policies: Policies;
}

/**
 * Brings one account to where its money leads it, in one transaction that holds the account's row. A payment waits for it or goes
 * before it: then the balance that decides has it. So a top-up that races a release has one outcome. False when nothing was due.
 */
export const makeStepAccount =
  ({ db, begin, ids, policies }: LadderParts) =>
  async (organizationId: string): Promise<Step | undefined> => {
    const written = await db.write(begin('billing.ladder', { correlationId: ids.next() }), async (tx) => {
      await lockAccount(tx, organizationId);
      const row = await findStanding(tx, organizationId);
      const rules = rulesOf(policies, organizationId);
      const step = row && decideLadder(standingOf(row), rules);
      if (!row || !step || !isChange(standingOf(row), step)) {
        return tx.abandon(new Fault('resource_not_found', 'Nothing was due.'));
      }
      await storeStep(tx, row, step);
      const events = [...eventsOf(row, step, rules.speed), ...(step.release ? await releasesOf(tx, row) : [])];
      return tx.commit(step, {
        target: { type: 'billing_account', id: organizationId },
        organizationId,
        change: {
          state: [row.state, step.state],
          spendable_minor: row.spendable.toString(),
          per_hour_minor: row.per_hour.toString(),
          ...(step.releasesAt && { releases_at: step.releasesAt.toISOString() }),
          ...(step.stop && { stopped: row.living }),
          ...(step.release && { released: row.living }),
        },
        events: events.length > 0 ? events : 'none',
      });
    });
    return written instanceof Fault ? undefined : written.value;
  };

/** The events of a step, from which letters to the organization are written. */
function eventsOf(row: StandingRow, step: Step, speed: number): DeclaredEvent[] {
  const id = row.organization_id;
  const runway = runwaySeconds(row.spendable, row.per_hour);
  const standing = {
    organization_id: id,
    currency: row.currency,
    balance_minor: row.spendable.toString(),
    per_hour_minor: row.per_hour.toString(),
    runway_seconds: runway ?? null,
    allocations: row.living,
  };
  const releases_at = step.releasesAt?.toISOString() ?? null;
  // Without a stop there is one time, that of the release.
  const isStopFirst = step.stopsAt !== null && step.stopsAt.getTime() !== step.releasesAt?.getTime();
  const stops_at = isStopFirst ? (step.stopsAt?.toISOString() ?? null) : null;
  const { warning, transition } = step;
  const events: DeclaredEvent[] = [];
  if (transition === 'announce') {
    events.push(
      autoReleasePending.of(id, { ...standing, stops_at, releases_at: releases_at ?? row.now.toISOString() }),
    );
  }
  if (transition === 'deplete') {
    events.push(
      balanceDepleted.of(id, {
        ...standing,
        depleted_at: row.now.toISOString(),
        stops_at,
        releases_at,
        stored_bytes: Number(row.stored_bytes),
      }),
    );
  }
  if (step.stop && step.releasesAt) {
    const at = { stopped_at: row.now.toISOString(), releases_at: step.releasesAt.toISOString() };
    events.push(machinesStopped.of(id, { ...standing, ...at }));
  }
  if (warning) {
    events.push(
      lowBalanceWarning.of(id, {
        ...standing,
        threshold: warning.threshold,
        threshold_seconds: warning.seconds,
        threshold_minor: warning.minor?.toString() ?? null,
        depletes_at: runway === undefined ? null : endOf(row.now, runway / speed),
      }),
    );
  }
  const isBetter = transition === 'recover' || (transition === 'warn' && row.state !== 'healthy');
  if (isBetter && row.state !== 'healthy') {
    events.push(balanceRecovered.of(id, { ...standing, was: row.state }));
  }
  return events;
}
const endOf = (now: Date, seconds: number): string | null => {
  const end = new Date(now.getTime() + seconds * secondMs);
  return Number.isNaN(end.getTime()) ? null : end.toISOString();
};

async function releasesOf(tx: WriteTx, row: StandingRow): Promise<DeclaredEvent[]> {
  const living = await listLiving(tx, row.organization_id, releasesAtOnce);
  return living.map((each) =>
    provisioningForceReleaseRequested.of(each.id, {
      allocation_id: each.id,
      organization_id: each.organization_id,
      project_id: each.project_id,
      version: Number(each.version),
      ...(each.simulated !== null && { simulated: each.simulated }),
      reason: 'balance_depleted',
    }),
  );
}

/** Looks at all accounts that can be due, a page at a time, and moves those that are. */
export function makeLadder(parts: LadderParts & { readonly log: Log; readonly metrics: Metrics }): Reconciler {
  const { db, ids, policies, metrics } = parts;
  const stepAccount = makeStepAccount(parts);
  const apart = makeApart('billing-ladder', parts);
  const steps = metrics.counter(
    'gpuaas_billing_ladder_steps_total',
    'Moves of accounts, by the state that they led to.',
    ['state'],
  );
  const viewer = () => systemViewer('billing-worker', { correlationId: ids.next() });
  showAccounts(parts);
  return {
    name: 'billing-ladder',
    async round() {
      for (let after: string | undefined; ; ) {
        const rows = await db.read(viewer(), (tx) => listStandings(tx, after, ladderPage));
        for (const row of rows) {
          const at = standingOf(row);
          if (!isChange(at, decideLadder(at, rulesOf(policies, row.organization_id)))) continue;
          await apart({ organization_id: row.organization_id }, async () => {
            const step = await stepAccount(row.organization_id);
            if (step?.transition !== undefined) steps.inc({ state: step.state });
          });
        }
        after = rows.at(-1)?.organization_id;
        if (rows.length < ladderPage) return 'idle';
      }
    },
  };
}

function showAccounts({ db, ids, metrics }: LadderParts & { readonly metrics: Metrics }): void {
  const accounts = metrics.gauge('gpuaas_billing_accounts', 'Accounts, by how far their balance reaches.', ['state']);
  const overdue = metrics.gauge(
    'gpuaas_billing_releases_overdue',
    'Accounts whose balance is spent, whose announced release has passed, and whose allocations still run.',
    [],
  );
  metrics.onScrape(async () => {
    const counted = await db.read(systemViewer('billing-worker', { correlationId: ids.next() }), (tx) =>
      countLadders(tx, releaseAgainMs),
    );
    for (const state of ['healthy', 'low_balance', 'auto_release_pending', 'depleted'] as const) {
      accounts.set({ state }, counted.find((each) => each.state === state)?.accounts ?? 0);
    }
    overdue.set(counted.reduce((sum, each) => sum + each.overdue, 0));
  });
}
