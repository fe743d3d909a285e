import {
  type AnyPolicy,
  type EffectivePolicy,
  type PolicyDefinition,
  type PolicyKey,
  type PolicyLevel,
  policies,
  policyFault,
  policyList,
  policySet,
  policySettingList,
  policyUnset,
} from '@gpuaas/contract';
import { type Database, handlers, type Mounted, type ReadTx, type Viewer } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Ids } from '../../kernel/id.ts';
import { effective, type Snapshot } from './effective.ts';
import { findLastChanger, findSetting, listSettings, removeSetting, showSetting, upsertSetting } from './store.ts';

interface Parts {
  readonly db: Database;
  readonly ids: Ids;
  readonly snapshot: () => Snapshot;
  /** Tells every process, this one included, that settings have changed. */
  readonly announce: () => void;
  /** Whether at least one person could still do sensitive operations if a second factor were required. */
  readonly hasSecondFactor: (who: Viewer) => Promise<boolean>;
}
const on = handlers<Parts>();

const definition = ({ key, owner, description, ...rest }: AnyPolicy): PolicyDefinition => ({
  key,
  description,
  owner,
  ...(rest as Omit<PolicyDefinition, 'key' | 'description' | 'owner'>),
});
const find = (key: string): AnyPolicy | undefined => policies.find((policy) => policy.key === key);
const secondFactorKey: PolicyKey = 'auth.step_up_mfa_required';
const lockedOut = () =>
  new Fault(
    'second_factor_missing',
    'This would lock you out: set up a second factor, sign in with it, and turn this on then.',
  );
const absent = () => new Fault('policy_not_found', 'There is no such object.');

/** `global` has no subject; every other level has one. */
function subjectOf(level: PolicyLevel, subjectId: string | undefined): string | Fault<'policy_level_invalid'> {
  if (level === 'global') {
    return subjectId === undefined
      ? ''
      : new Fault('policy_level_invalid', 'A global setting applies to the whole platform: leave subject_id out.');
  }
  return subjectId ?? new Fault('policy_level_invalid', `Say which ${level} this is for: send subject_id.`);
}

const list = on(policyList, async ({ snapshot }, who) => {
  const data = policies.map((policy): EffectivePolicy => {
    const { value, level, subjectId, hard } = effective(policy, snapshot(), who);
    return {
      key: policy.key,
      value,
      source: { level, subject_id: subjectId ?? null, hard },
      definition: definition(policy),
    };
  });
  return { data };
});

const settings = on(policySettingList, async ({ db }, who) => ({
  definitions: policies.map(definition),
  settings: (await db.read(who, listSettings)).map(showSetting),
}));

/** Says who changed a setting since the caller saw it, and to what. */
async function changedMeanwhile(
  tx: ReadTx,
  place: Parameters<typeof findSetting>[1],
): Promise<Fault<'version_conflict'>> {
  const now = await findSetting(tx, place);
  const by = await findLastChanger(tx, place);
  const what = now ? `set ${place.key} to ${JSON.stringify(now.value)} ("${now.reason}")` : `removed ${place.key}`;
  return new Fault(
    'version_conflict',
    `${by ?? 'Another operator'} has ${what} in the meantime. Nothing was changed: look at it, then decide.`,
    { setting: now ? showSetting(now) : null, changed_by: by ?? null },
  );
}

const set = on(policySet, async ({ db, ids, announce, hasSecondFactor }, act, { params, body }) => {
  const policy = find(params.policy_key);
  const subjectId = subjectOf(body.level, body.subject_id);
  if (!policy) return absent();
  if (subjectId instanceof Fault) return subjectId;
  if (body.hard && body.level !== 'global') {
    return new Fault('policy_level_invalid', 'Only a global setting can stand above all others.');
  }
  if ('levels' in policy && !(policy.levels as readonly PolicyLevel[]).includes(body.level)) {
    return new Fault('policy_level_invalid', `${policy.key} can be set for: ${policy.levels.join(', ')}.`);
  }
  const fault = policyFault(policy, body.value);
  if (fault) return new Fault('policy_out_of_bounds', `${policy.key} ${fault}.`, { definition: definition(policy) });
  if (policy.key === secondFactorKey && body.value === true && !(await hasSecondFactor(act))) return lockedOut();
  const written = await db.write(act, async (tx) => {
    const place = { key: policy.key, level: body.level, subject_id: subjectId };
    const wanted = { ...place, id: ids.next(), value: body.value, hard: body.hard ?? false, reason: body.reason };
    const row = await upsertSetting(tx, wanted, body.expected_value);
    if (!row) return tx.abandon(await changedMeanwhile(tx, place));
    return tx.commit(showSetting(row), {
      target: { type: 'policy', id: policy.key },
      change: { level: body.level, subject_id: subjectId, value: body.value, reason: body.reason },
      events: 'none',
    });
  });
  announce();
  return written;
});

const unset = on(policyUnset, async ({ db, announce }, act, { params, body }) => {
  const subjectId = subjectOf(body.level, body.subject_id);
  if (subjectId instanceof Fault) return subjectId;
  const written = await db.write(act, async (tx) => {
    const row = await removeSetting(tx, params.policy_key, body.level, subjectId);
    if (!row) return tx.abandon(absent());
    return tx.commit(showSetting(row), {
      target: { type: 'policy', id: params.policy_key },
      change: { level: body.level, subject_id: subjectId, removed: row.value, reason: body.reason },
      events: 'none',
    });
  });
  announce();
  return written;
});

export const policyRoutes = (parts: Parts): Mounted[] => [list, settings, set, unset].map((bind) => bind(parts));
