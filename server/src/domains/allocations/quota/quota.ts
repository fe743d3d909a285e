import type { GpuQuota } from '@gpuaas/contract';
import type { Act, InOrganization, InProject, ReadTx, Viewer, WriteTx } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Policies } from '../../policy/index.ts';
import { maxNamed, namedInSentence } from '../facts.ts';
import { type Counted, countGpus, countHeld, listHeld, listHeldInProject } from './store.ts';

const limitPolicy = 'allocation.max_concurrent_per_user';
const leavingPolicy = 'allocation.max_leaving_per_user';
const quotaPolicy = 'allocation.max_gpus_per_organization';

export interface Asked {
  readonly allocations: number;
  readonly gpus: number;
}
type Refusal = Fault<'allocation_concurrency_limit' | 'organization_gpu_limit'>;

/**
 * Whether the caller and the organization may hold so much more. It locks the organization for the rest of the
 * transaction, so the answer is still true when the allocations are stored.
 */
export async function mayHoldMore(
  tx: WriteTx,
  { policies }: { readonly policies: Policies },
  act: Act & InProject,
  asked: Asked,
): Promise<Refusal | undefined> {
  const held = await countHeld(tx, act.organizationId, act.actorId);
  return (
    refuseLeaving(policies, act, held.leaving, asked) ??
    (await refusePerson(tx, policies, act, held.held, asked)) ??
    (await refuseOrganization(tx, policies, act, held.gpus, asked))
  );
}

/** A caller who releases and asks anew at once would keep any number of hosts busy with cleaning. */
function refuseLeaving(policies: Policies, act: Act, leaving: number, asked: Asked): Refusal | undefined {
  const most = policies.number(leavingPolicy, act);
  if (leaving < most) return undefined;
  return new Fault(
    'allocation_concurrency_limit',
    `${leaving} of your allocations have ended and are still being cleaned up, and with ${most} of them nothing new is given out (${leavingPolicy}). Wait until some are clean.`,
    { leaving, asked: asked.allocations, limit: most, policy: leavingPolicy },
  );
}

async function refusePerson(
  tx: ReadTx,
  policies: Policies,
  act: Act & InProject,
  held: number,
  asked: Asked,
): Promise<Refusal | undefined> {
  const most = policies.number(limitPolicy, act);
  if (held + asked.allocations <= most) return undefined;
  const counted = await listHeld(tx, act.organizationId, act.actorId, maxNamed);
  const level = policies.level?.(limitPolicy, act) ?? 'default';
  return new Fault(
    'allocation_concurrency_limit',
    `You hold ${held} allocations${held > 0 ? `: ${nameSome(counted, held)}` : ''}. You asked for ${asked.allocations} more, and at most ${most} are allowed (${limitPolicy}, ${setBy(level)}).`,
    { held, asked: asked.allocations, limit: most, policy: limitPolicy, level, counted },
  );
}

/**
 * The caller sees the allocations of the project by name. Those of other projects are only summed up: a credential may be
 * for this project alone.
 */
async function refuseOrganization(
  tx: ReadTx,
  policies: Policies,
  act: Act & InProject,
  held: number,
  asked: Asked,
): Promise<Refusal | undefined> {
  const { limit, level } = readLimit(policies, act.organizationId);
  if (held + asked.gpus <= limit) return undefined;
  const here = await listHeldInProject(tx, act.organizationId, act.projectId, maxNamed);
  const elsewhere = held - here.gpus;
  const parts = [
    ...(here.gpus > 0 ? [`${here.gpus} in this project: ${nameSome(here.counted, here.allocations)}`] : []),
    ...(elsewhere > 0 ? [`${elsewhere} in other projects`] : []),
  ];
  const breakdown = parts.length > 0 ? ` (${parts.join('; ')})` : '';
  return new Fault(
    'organization_gpu_limit',
    `Your organization holds ${held} GPUs${breakdown}. You asked for ${asked.gpus} more, and at most ${limit} are allowed (${quotaPolicy}, ${setBy(level)}). Release some, or ask the operator of the platform for more.`,
    {
      ...{ held, asked: asked.gpus, limit, policy: quotaPolicy, level },
      ...{ counted: here.counted, in_project: here.gpus, in_other_projects: elsewhere },
    },
  );
}

const setBy = (level: string): string => (level === 'default' ? 'the default' : `set for: ${level}`);
function nameSome(counted: readonly Counted[], all: number): string {
  const first = counted.slice(0, namedInSentence).map(({ name, gpu_count }) => `${name} (${gpu_count} GPU)`);
  return `${first.join(', ')}${all > first.length ? ` and ${all - first.length} more` : ''}`;
}

/** A quota belongs to the organization: settings for a person or a project do not change it. */
function readLimit(policies: Policies, organizationId: string): Pick<GpuQuota, 'limit' | 'level'> {
  const subject = { organizationId };
  const level = (policies.level?.(quotaPolicy, subject) ?? 'default') as GpuQuota['level'];
  return { limit: policies.number(quotaPolicy, subject), level };
}

/** The GPUs that an organization holds, and how many it may hold. */
export async function readGpuQuota(tx: ReadTx, policies: Policies, organizationId: string): Promise<GpuQuota> {
  return { held: await countGpus(tx, organizationId), ...readLimit(policies, organizationId) };
}

/** A sentence for a plan that would be refused for the quota; nothing where it would not. */
export async function tellQuota(
  tx: ReadTx,
  policies: Policies,
  who: (Viewer | Act) & InOrganization,
  gpus: number,
): Promise<string | undefined> {
  const { held, limit } = await readGpuQuota(tx, policies, who.organizationId);
  if (held + gpus <= limit) return undefined;
  return `Your organization holds ${held} of the ${limit} GPUs that it may hold (${quotaPolicy}).`;
}
