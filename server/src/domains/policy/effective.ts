import { type AnyPolicy, type PolicyLevel, type PolicyValue, policyFault } from '@gpuaas/contract';

/** Whom a policy is read for. What is unknown is left out; the levels above still apply. */
export interface PolicySubject {
  readonly actorId?: string | undefined;
  readonly projectId?: string | undefined;
  readonly organizationId?: string | undefined;
}
export interface Setting {
  readonly key: string;
  readonly level: PolicyLevel;
  readonly subjectId: string;
  readonly value: PolicyValue;
  readonly hard: boolean;
}
/** All settings at one moment, and the plans of organizations that are not on the standard one. */
export interface Snapshot {
  readonly settings: ReadonlyMap<string, Setting>;
  readonly plans: ReadonlyMap<string, string>;
}
export interface Effective {
  readonly value: PolicyValue;
  readonly level: PolicyLevel | 'default';
  readonly subjectId: string | undefined;
  readonly hard: boolean;
}

export const standardPlan = 'standard';
const at = (key: string, level: PolicyLevel, subjectId: string) => `${key} ${level} ${subjectId}`;

export const makeSnapshot = (
  settings: readonly Setting[],
  plans: ReadonlyMap<string, string> = new Map(),
): Snapshot => ({
  settings: new Map(settings.map((setting) => [at(setting.key, setting.level, setting.subjectId), setting])),
  plans,
});

/**
 * The value that applies: a hard global setting first, then user, project, organization, plan, global, default. A stored
 * value, or a level, that its definition no longer allows (the bounds were narrowed since) is passed over, never applied.
 */
export function effective(policy: AnyPolicy, { settings, plans }: Snapshot, subject: PolicySubject): Effective {
  const global = settings.get(at(policy.key, 'global', ''));
  const plan = subject.organizationId && (plans.get(subject.organizationId) ?? standardPlan);
  const candidates = [
    global?.hard ? global : undefined,
    subject.actorId && settings.get(at(policy.key, 'user', subject.actorId)),
    subject.projectId && settings.get(at(policy.key, 'project', subject.projectId)),
    subject.organizationId && settings.get(at(policy.key, 'organization', subject.organizationId)),
    plan && settings.get(at(policy.key, 'plan', plan)),
    global,
  ];
  const levels: readonly PolicyLevel[] | undefined = 'levels' in policy ? policy.levels : undefined;
  for (const found of candidates) {
    if (found && (levels?.includes(found.level) ?? true) && policyFault(policy, found.value) === undefined) {
      return { value: found.value, level: found.level, subjectId: found.subjectId || undefined, hard: found.hard };
    }
  }
  return { value: policy.default, level: 'default', subjectId: undefined, hard: false };
}
