import type { AllocationPlan } from '@gpuaas/sdk';
import { Icon } from '../../parts/icon.tsx';
import { Problem } from '../../parts/states.tsx';
import { counted, spellMemory } from '../../words/sizes.ts';

/** Whether it fits now, and if not: why, and what would fit. */
export function LaunchPlan(parts: {
  plan: AllocationPlan | undefined;
  error: Error | null;
  onChange(change: { sku?: string; gpus?: number; region?: string }): void;
}) {
  const { plan, error } = parts;
  if (error) return <Problem error={error} />;
  if (!plan) return <div role="status" aria-label="Checking capacity" className="skeleton h-10" />;
  if (plan.feasible) {
    return (
      <div className="flex gap-2 text-ok">
        <Icon name="check" />
        <div>
          <p className="font-medium">{plan.message}</p>
          {plan.profile && (
            <p className="text-sm text-dim">
              {counted(plan.profile.vcpus, 'vCPU')}, {spellMemory(plan.profile.memory_mib)} of memory
              {plan.decision.chosen?.image_cached ? '; its image is already on the host' : ''}.
            </p>
          )}
        </div>
      </div>
    );
  }
  const changes = plan.decision.would_fit.filter(({ change }) => change !== 'wait');
  return (
    <div className="grid gap-2 rounded-lg bg-warn-soft px-3 py-2.5 text-warn">
      <p className="font-medium">{plan.message}</p>
      {plan.decision.reasons.length > 0 && (
        <ul className="list-disc ps-4 text-sm">
          {plan.decision.reasons.map(({ constraint, message }) => (
            <li key={constraint}>{message}</li>
          ))}
        </ul>
      )}
      {changes.length > 0 && (
        <div className="grid gap-1.5">
          <p className="text-sm">Available now:</p>
          {changes.slice(0, 3).map(({ change, gpus, region, sku }) => (
            <button
              key={`${change} ${gpus} ${region} ${sku}`}
              type="button"
              onClick={() => parts.onChange({ ...(sku && { sku }), ...(gpus && { gpus }), ...(region && { region }) })}
              className="rounded-lg border border-warn/50 bg-paper px-3 py-1.5 text-start text-ink hover:bg-sunk"
            >
              {[gpus && counted(gpus, 'GPU'), sku, region && `in ${region}`].filter(Boolean).join(', ')}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
