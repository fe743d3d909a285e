import type { AllocationDetail, TimelineItem } from '@gpuaas/sdk';
import { Link, useParams } from '@tanstack/react-router';
import { api, isAbsent } from '../client/api.ts';
import { useAsk } from '../client/ask.ts';
import { useNames } from '../client/names.ts';
import { ButtonLink } from '../parts/button.tsx';
import { Chip, SimulatedChip, StateChip } from '../parts/chip.tsx';
import { Copy } from '../parts/copy.tsx';
import { CorrelationId } from '../parts/correlation.tsx';
import { LogsPanel } from '../parts/logs/logs-panel.tsx';
import { MetricsPanel } from '../parts/metrics/metrics-panel.tsx';
import { Facts, Page, Panel } from '../parts/page.tsx';
import { RailView } from '../parts/rail-view.tsx';
import { Empty, Loading, Problem } from '../parts/states.tsx';
import { Ago, Lasting } from '../parts/time.tsx';
import { spellMoney } from '../words/money.ts';
import { isUnderway, makeRail } from '../words/rail.ts';
import { inSentence, releaserOf, tellRelease } from '../words/sentences.ts';
import { counted, spellMemory } from '../words/sizes.ts';
import { AccessPanel } from './allocation-access.tsx';
import { AllocationActions, Guards } from './allocation-acts.tsx';
import { Concerns } from './allocation-concerns.tsx';
import { GrantsPanel } from './allocation-grants.tsx';
import { Receipt, Timeline } from './allocation-record.tsx';
import { shownState } from './allocation-rows.tsx';
import { StoragePanel } from './allocation-storage.tsx';
import { TerminalSessions } from './allocation-terminals.tsx';

/** One allocation: state, proof, access and timeline. */
export function AllocationPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const allocation = useAsk(['allocation', id], (options) => api.allocations.get({ allocation_id: id }, options), {
    everyMs: 30_000,
  });
  const timeline = useAsk(['allocation', id, 'timeline'], async (options) => {
    const items: TimelineItem[] = [];
    // The first thousand timeline entries are loaded.
    for await (const item of api.allocations.timeline({ allocation_id: id, limit: 200 }, options)) {
      items.push(item);
      if (items.length >= 1_000) break;
    }
    return items;
  });
  if (allocation.error && !allocation.data) {
    return (
      <Page title="Allocation">
        {isAbsent(allocation.error) ? (
          <Empty icon="search" title="Allocation not found">
            <p>It may belong to another project or organization.</p>
            <ButtonLink to="/allocations">All allocations</ButtonLink>
          </Empty>
        ) : (
          <Problem error={allocation.error} again={() => void allocation.refetch()} />
        )}
      </Page>
    );
  }
  if (!allocation.data) return <Loading rows={8} label="Loading the allocation" />;
  return (
    <Detail
      it={allocation.data}
      timeline={timeline.data ?? []}
      isRead={timeline.data !== undefined}
      problem={timeline.error}
    />
  );
}

function Detail({
  it,
  timeline,
  isRead,
  problem,
}: {
  it: AllocationDetail;
  timeline: readonly TimelineItem[];
  isRead: boolean;
  problem: Error | null;
}) {
  const hasFailedEarly = it.failure !== null && !it.active_at;
  return (
    <Page
      title={it.name}
      lead={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <StateChip state={shownState(it)} />
          <SimulatedChip of={it} />
          {it.attempt > 1 && (
            <Chip tone={it.state === 'active' ? 'calm' : 'warn'}>
              attempt {it.attempt} of {it.max_attempts}
            </Chip>
          )}
          <span>
            {it.sku} × {it.gpu_count} in {it.region}
          </span>
          <Money it={it} />
        </span>
      }
      actions={<AllocationActions it={it} />}
      shown={{ operation: 'allocation_get', input: { allocation_id: it.id } }}
    >
      <Concerns it={it} />
      {it.failure && <Failure it={it} failure={it.failure} timeline={timeline} />}
      {it.queue && (
        <div className="rounded-lg bg-accent-soft px-4 py-3 text-accent">
          <p className="font-semibold">Queue position {it.queue.position}</p>
          <p>
            {it.queue.reason}{' '}
            {it.queue.expected_start_at && (
              <>
                Expected start <Ago at={it.queue.expected_start_at} />.{' '}
              </>
            )}
            Queue request expires <Ago at={it.queue.deadline_at} />.
          </p>
        </div>
      )}
      <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div className="grid grid-cols-1 gap-6">
          {(isUnderway(it.state) || hasFailedEarly) && it.placement_status !== 'queued' && (
            <Panel
              title="Progress"
              aside={
                <span className="text-sm text-dim">
                  {hasFailedEarly ? 'It never became active' : 'Charged from activation'}
                </span>
              }
            >
              <RailView steps={makeRail(it, timeline)} />
            </Panel>
          )}
          {it.state === 'active' && <AccessPanel it={it} />}
          {it.state === 'active' && <GrantsPanel allocationId={it.id} />}
          <StoragePanel it={it} />
          {it.state === 'active' && <TerminalSessions allocationId={it.id} />}
          {it.active_at && (
            <MetricsPanel
              key={it.id}
              about={it.id}
              until={it.ended_at}
              ask={(range, options) => api.metrics.allocation({ allocation_id: it.id, ...range }, options)}
            />
          )}
          {it.state !== 'requested' && (
            <LogsPanel
              key={`${it.id} log`}
              title="Console log"
              about={it.id}
              nothing="The machine has written nothing on its console."
              ask={(wanted, options) => api.logs.allocationList({ allocation_id: it.id, ...wanted }, options)}
              follow={(wanted, options) => api.logs.allocationStream({ allocation_id: it.id, ...wanted }, options)}
            />
          )}
          <Receipt it={it} />
          <Timeline items={isRead ? timeline : undefined} problem={problem} />
        </div>
        <div className="grid grid-cols-1 gap-6">
          <About it={it} timeline={timeline} />
          <Guards it={it} />
        </div>
      </div>
    </Page>
  );
}

/** The hourly price, and what was charged so far. */
function Money({ it }: { it: AllocationDetail }) {
  const rate = `${spellMoney(it.price.per_hour)} per hour`;
  if (!it.charged) return <span className="tabular">{rate}</span>;
  return (
    <span className="tabular" title="Charged from what the host has proven; see Billing for every window.">
      {rate} · {spellMoney(it.charged)} charged {it.ended_at ? 'in all' : 'so far'}
    </span>
  );
}

function Failure(parts: {
  it: AllocationDetail;
  failure: NonNullable<AllocationDetail['failure']>;
  timeline: readonly TimelineItem[];
}) {
  const { it, failure } = parts;
  const end = parts.timeline.findLast(({ to_state }) => to_state === 'failed' || to_state === 'release_failed');
  return (
    <div role="alert" className="grid gap-1 rounded-lg border border-bad/40 bg-bad-soft px-4 py-3 text-bad">
      <p className="font-semibold">
        {it.state === 'release_failed' ? 'Release failed' : it.active_at ? 'Failed' : 'Launch failed'}
      </p>
      <p>{failure.reason}</p>
      {!it.active_at && <p className="font-medium">It never became active.</p>}
      <p className="text-sm">
        Code <code className="font-mono">{failure.code}</code>
        {it.state === 'release_failed' && '. Operators have been notified; you do not have to do anything.'}
      </p>
      <div className="mt-1 flex flex-wrap items-center gap-3 text-ink">
        {it.state === 'failed' && (
          <ButtonLink to="/launch" search={{ sku: it.sku, gpus: String(it.gpu_count) }}>
            Try again elsewhere
          </ButtonLink>
        )}
        {end?.correlation_id && <CorrelationId id={end.correlation_id} />}
      </div>
    </div>
  );
}

function About({ it, timeline }: { it: AllocationDetail; timeline: readonly TimelineItem[] }) {
  const nameOf = useNames();
  const by = releaserOf(timeline);
  const ender = by === undefined ? undefined : inSentence(nameOf(by));
  return (
    <Panel title="About">
      <Facts
        rows={[
          ['Id', <Copy key="id" text={it.id} label="the id" />],
          [
            'Machine',
            it.profile ? `${counted(it.profile.vcpus, 'vCPU')}, ${spellMemory(it.profile.memory_mib)}` : 'whole host',
          ],
          ['Image', it.image ?? 'default'],
          [
            'Created',
            <span key="asked">
              <Ago at={it.created_at} /> by <bdi>{inSentence(nameOf(it.requested_by))}</bdi>
            </span>,
          ],
          ...(it.group_id
            ? ([
                [
                  'Group',
                  <Link
                    key="group"
                    to="/groups/$id"
                    params={{ id: it.group_id }}
                    className="text-accent underline underline-offset-2"
                  >
                    part of a group
                  </Link>,
                ],
              ] as const)
            : []),
          ...(it.active_at
            ? ([['Uptime', <Lasting key="ran" from={it.active_at} until={it.releasing_at ?? it.ended_at} />]] as const)
            : []),
          ...(it.release_reason
            ? ([[it.active_at ? 'Released' : 'Cancelled', tellRelease(it.release_reason, ender)]] as const)
            : []),
          ...Object.entries(it.tags).map(([name, value]) => [name, <bdi key={name}>{value}</bdi>] as const),
        ]}
      />
    </Panel>
  );
}
