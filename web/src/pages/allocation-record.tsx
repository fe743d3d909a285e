import type { AllocationDetail, TimelineItem } from '@gpuaas/sdk';
import { SimulatedChip, StateChip } from '../parts/chip.tsx';
import { Facts, Panel } from '../parts/page.tsx';
import { Loading, Problem } from '../parts/states.tsx';
import { Ago, useNow } from '../parts/time.tsx';
import { tellHappening } from '../words/sentences.ts';
import { counted } from '../words/sizes.ts';
import { spellMoment, spellWhen } from '../words/time.ts';

/** What the host verified before the allocation became active. */
export function Receipt({ it }: { it: AllocationDetail }) {
  const now = useNow();
  const { receipt } = it;
  if (!receipt) return null;
  return (
    <Panel
      title="Readiness receipt"
      aside={
        <span className="flex flex-wrap gap-1">
          <SimulatedChip of={receipt} />
          <StateChip state={receipt.passed ? 'succeeded' : 'failed'} />
        </span>
      }
    >
      <p className="mb-3 text-dim">
        {it.active_at
          ? `Verified and signed by the host. Active since ${spellWhen(it.active_at, now)}.`
          : 'The signed report of the host did not pass, so it never became active.'}
      </p>
      <Facts
        rows={[
          ['GPUs', receipt.passed ? `${counted(receipt.gpus, 'GPU')} verified with nvidia-smi` : 'not verified'],
          ['Driver', receipt.driver_version || 'unknown'],
          ['CUDA', receipt.cuda_version || 'unknown'],
          ['Verified', <Ago key="taken" at={receipt.taken_at} />],
          ...(it.last_attestation
            ? [
                [
                  'Checked again',
                  <span key="again">
                    {it.last_attestation.passed ? 'passed' : 'did not pass'}, <Ago at={it.last_attestation.taken_at} />
                  </span>,
                ] as const,
              ]
            : []),
        ]}
      />
    </Panel>
  );
}

/** The timeline, latest first. Each entry has its correlation id. */
/** Undefined until the server has answered. */
type Items = readonly TimelineItem[] | undefined;
export function Timeline({ items, problem }: { items: Items; problem: Error | null }) {
  const now = useNow();
  return (
    <Panel title="Timeline">
      {problem ? (
        <Problem error={problem} />
      ) : !items ? (
        <Loading rows={3} label="Loading the timeline" />
      ) : items.length === 0 ? (
        <p className="text-dim">Nothing has happened yet.</p>
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
