import type { WorkflowDetail } from '@gpuaas/sdk';

type Seen = Pick<WorkflowDetail, 'plan' | 'step'>;

/** The steps that a cancelled run would roll back now, in that order. */
export function takenBack({ plan, step }: Seen): string[] {
  const at = plan.findIndex(({ name }) => name === step);
  return plan
    .slice(0, Math.max(at, 0))
    .filter(({ kind, undoes }) => undoes && kind !== 'failure')
    .map(({ name }) => name)
    .reverse();
}
