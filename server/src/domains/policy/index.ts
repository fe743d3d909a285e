import { type NumberPolicyKey, type PolicyKey, policies, type ValueOf } from '@gpuaas/contract';
import { hadSecondFactor } from '../../kernel/access/second-factor.ts';
import { type Database, type Mounted, systemViewer } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Ids } from '../../kernel/id.ts';
import { startReconciler } from '../../kernel/process/reconciler.ts';
import type { Log } from '../../kernel/telemetry/log.ts';
import { effective, makeSnapshot, type PolicySubject, type Setting, type Snapshot } from './effective.ts';
import { lookAgainMs } from './facts.ts';
import { policyRoutes } from './routes.ts';
import { listPlans, listSettings } from './store.ts';

/** Policy: the numbers and choices that may change without a release, and for whom they differ. */
export interface Policies {
  /** The value that applies to a caller now. Answered from memory without I/O. */
  value<K extends PolicyKey>(key: K, subject?: PolicySubject): ValueOf<K>;
  number(key: NumberPolicyKey, subject?: PolicySubject): number;
  /** Where that comes from: the level at which it is set, or the default. */
  level?(key: PolicyKey, subject?: PolicySubject): string;
}
export interface OpenPolicies extends Policies {
  readonly routes: readonly Mounted[];
  close(): Promise<void>;
}

export const policyChannel = 'gpuaas_policy';

export async function openPolicies(parts: {
  readonly db: Database;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly log: Log;
  readonly listen: (channel: string, listener: () => void) => Promise<{ close(): Promise<void> }>;
  readonly notify: (channel: string) => void;
  /** Defaults of this installation, below every stored setting. */
  readonly overrides?: Partial<Record<PolicyKey, number | boolean | string>>;
  /** Whether a person has a second factor of our own provider; left out where another provider keeps them. */
  readonly hasFactor?: ((personId: string) => Promise<boolean>) | undefined;
}): Promise<OpenPolicies> {
  const { db, ids } = parts;
  const local = Object.entries(parts.overrides ?? {}).map(
    ([key, value]): Setting => ({ key, level: 'global', subjectId: '', value, hard: false }),
  );
  let snapshot: Snapshot = makeSnapshot(local);

  const load = async () => {
    const [rows, plans] = await db.read(systemViewer('policy', { correlationId: ids.next() }), async (tx) => [
      await listSettings(tx),
      await listPlans(tx),
    ]);
    snapshot = makeSnapshot(
      [...local, ...rows.map(({ subject_id, ...row }) => ({ ...row, subjectId: subject_id }))],
      new Map(plans.map(({ id, plan }) => [id, plan])),
    );
  };
  await load();
  const looking = startReconciler(
    {
      name: 'policies',
      round: async () => {
        await load();
        return 'idle';
      },
    },
    { clock: parts.clock, log: parts.log, everyMs: lookAgainMs },
  );
  const listening = await parts.listen(policyChannel, looking.wake);
  const found = (key: PolicyKey, subject: PolicySubject = {}) => {
    const policy = policies.find((each) => each.key === key);
    if (!policy) throw new Error(`there is no policy ${key}`);
    return effective(policy, snapshot, subject);
  };
  const value = <K extends PolicyKey>(key: K, subject?: PolicySubject) => found(key, subject).value as ValueOf<K>;

  return {
    value,
    number: (key, subject) => value(key, subject) as number,
    level: (key, subject) => found(key, subject).level,
    routes: policyRoutes({
      db,
      ids,
      snapshot: () => snapshot,
      announce: () => parts.notify(policyChannel),
      hasSecondFactor: async (who) =>
        hadSecondFactor(who.credential?.methods) && (parts.hasFactor === undefined || parts.hasFactor(who.actorId)),
    }),
    async close() {
      await listening.close();
      await looking.close();
    },
  };
}

export type { PolicySubject };
