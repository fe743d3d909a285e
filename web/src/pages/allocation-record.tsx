import type { AllocationDetail, TimelineItem } from '@gpuaas/sdk';
import { StateChip } from '../parts/chip.tsx';
import { Facts, Panel } from '../parts/page.tsx';
import { Loading, Problem } from '../parts/states.tsx';
import { Ago, useNow } from '../parts/time.tsx';
import { tellHappening } from '../words/sentences.ts';
import { counted } from '../words/sizes.ts';
import { spellMoment, spellWhen } from '../words/time.ts';

/** What was proven before the first second counted. */
export function Receipt({ it }: { it: AllocationDetail }) {
  const now = useNow();
  const { receipt } = it;
  if (!receipt) return null;
  return (
    <Panel title="Readiness receipt" aside={<StateChip state={receipt.passed ? 'succeeded' : 'failed'} />}>
      <p className="mb-3 text-dim">
        {it.active_at
          ? `Its host swore to this, signed, before the first second was counted. Billing began at ${spellWhen(it.active_at, now)}.`
          : 'This is what its host said about it, signed. It was not enough, so nothing was counted.'}
      </p>
      <Facts
        rows={[
          ['GPUs', receipt.passed ? `${counted(receipt.gpus, 'GPU')} proven with nvidia-smi` : 'not proven'],
          ['Driver', receipt.driver_version || 'unknown'],
          ['CUDA', receipt.cuda_version || 'unknown'],
          ['Proven', <Ago key="taken" at={receipt.taken_at} />],
        ]}
      />
    </Panel>
  );
}

/** What happened, latest first. Every line knows under which id the rest of the system speaks of it. */
export function Timeline({ items, problem }: { items: readonly TimelineItem[]; problem: Error | null }) {
  const now = useNow();
  return (
    <Panel title="Timeline">
      {problem ? (
        <Problem error={problem} />
      ) : items.length === 0 ? (
        <Loading rows={3} label="Loading the timeline" />
      ) : (
        <ol className="grid gap-2">
          {[...items].reverse().map((item) => (
            <li key={item.id} className="grid grid-cols-[5.5rem_1fr] gap-3">
              <time dateTime={item.at} title={spellMoment(item.at)} className="tabular text-sm leading-6 text-dim">
                {spellWhen(item.at, now)}
              </time>
              <span title={item.correlation_id ?? undefined}>{tellHappening(item)}</span>
            </li>
          ))}
        </ol>
      )}
    </Panel>
  );
}
