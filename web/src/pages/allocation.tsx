import type { AllocationDetail, TimelineItem } from '@gpuaas/sdk';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { api, isAbsent } from '../client/api.ts';
import { useAct, useAsk } from '../client/ask.ts';
import { Button, ButtonLink } from '../parts/button.tsx';
import { StateChip } from '../parts/chip.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Copy } from '../parts/copy.tsx';
import { Facts, Page, Panel } from '../parts/page.tsx';
import { RailView } from '../parts/rail-view.tsx';
import { Empty, Loading, Problem } from '../parts/states.tsx';
import { Ago } from '../parts/time.tsx';
import { spellMoney } from '../words/money.ts';
import { isLive, isUnderway, makeRail } from '../words/rail.ts';
import { tellHappening } from '../words/sentences.ts';
import { counted, spellMemory } from '../words/sizes.ts';
import { spellClock, spellDuration } from '../words/time.ts';
import { AccessPanel } from './allocation-access.tsx';

/** One allocation: what it is doing, what was proven about it, how to get in, and what happened to it. */
export function AllocationPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const allocation = useAsk(['allocation', id], (options) => api.allocations.get({ allocation_id: id }, options), {
    everyMs: 30_000,
  });
  const timeline = useAsk(['allocation', id, 'timeline'], async (options) => {
    const items: TimelineItem[] = [];
    // A long life has many lines; the first thousand tell it.
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
          <Empty icon="search" title="There is no such allocation">
            <p>It may belong to another project, or to somebody else.</p>
            <ButtonLink to="/allocations">All allocations</ButtonLink>
          </Empty>
        ) : (
          <Problem error={allocation.error} again={() => void allocation.refetch()} />
        )}
      </Page>
    );
  }
  if (!allocation.data) return <Loading rows={8} label="Loading the allocation" />;
  return <Detail it={allocation.data} timeline={timeline.data ?? []} problem={timeline.error} />;
}

function Detail({
  it,
  timeline,
  problem,
}: {
  it: AllocationDetail;
  timeline: readonly TimelineItem[];
  problem: Error | null;
}) {
  const [asking, setAsking] = useState(false);
  const release = useAct(
    'release',
    (_: string, options) => api.allocations.release({ allocation_id: it.id }, options),
    {
      stale: ['allocation', 'allocations', 'catalog'],
      done: () => setAsking(false),
    },
  );
  const restart = useAct(
    'restart',
    (version: number, options) => api.allocations.restart({ allocation_id: it.id }, options).then(() => version),
    { stale: ['allocation'] },
  );
  const extend = useAct(
    'extend',
    ({ seconds }: { seconds: number; version: number }, options) =>
      api.allocations.extend({ allocation_id: it.id, seconds }, options),
    { stale: ['allocation'] },
  );
  const action = (name: string) => it.actions.find((each) => each.action === name);
  const mayRelease = action('release');
  const why = (name: string) => action(name)?.why_not ?? undefined;
  const rail = makeRail(it, timeline);
  const error = restart.error ?? extend.error;

  return (
    <Page
      title={it.name}
      lead={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <StateChip state={it.placement_status === 'queued' ? 'queued' : it.state} />
          <span>
            {it.sku} × {it.gpu_count} in {it.region}
          </span>
          <span className="tabular">{spellMoney(it.price.per_hour)} per hour</span>
        </span>
      }
      actions={
        <>
          {it.state === 'active' && (
            <Button
              title={why('restart')}
              disabled={!action('restart')?.allowed}
              busy={restart.isPending}
              onClick={() => restart.mutate(it.version)}
            >
              Restart
            </Button>
          )}
          {isLive(it.state) && (
            <Button
              look="danger"
              disabled={!mayRelease?.allowed}
              title={mayRelease?.why_not ?? undefined}
              onClick={() => setAsking(true)}
            >
              Release
            </Button>
          )}
        </>
      }
      shown={{ operation: 'allocation_get', input: { allocation_id: it.id } }}
    >
      {error && <Problem error={error} />}
      {it.failure && (
        <div role="alert" className="rounded-lg border border-bad/40 bg-bad-soft px-4 py-3 text-bad">
          <p className="font-semibold">
            {it.state === 'release_failed' ? 'Giving it back failed' : 'It could not be made'}
          </p>
          <p>{it.failure.reason}</p>
          <p className="mt-1 text-sm">
            {it.active_at ? 'Nothing more is charged.' : 'It was never ready, so nothing was charged.'} Code:{' '}
            {it.failure.code}
          </p>
          <div className="mt-2">
            <ButtonLink to="/launch" search={{ sku: it.sku, gpus: String(it.gpu_count) }}>
              Try again elsewhere
            </ButtonLink>
          </div>
        </div>
      )}
      {it.queue && (
        <div className="rounded-lg bg-accent-soft px-4 py-3 text-accent">
          <p className="font-semibold">Number {it.queue.position} in line</p>
          <p>
            {it.queue.reason} It waits until <Ago at={it.queue.deadline_at} />, and costs nothing while it waits.
          </p>
        </div>
      )}
      <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div className="grid grid-cols-1 gap-6">
          {(isUnderway(it.state) || (it.failure && !it.active_at)) && it.placement_status !== 'queued' && (
            <Panel title="Progress" aside={<span className="text-sm text-ok">You are not paying yet</span>}>
              <RailView steps={rail} />
            </Panel>
          )}
          {(it.access || it.state === 'active') && <AccessPanel it={it} />}
          {it.receipt && (
            <Panel title="Readiness receipt" aside={<StateChip state={it.receipt.passed ? 'succeeded' : 'failed'} />}>
              <p className="mb-3 text-dim">
                Its host swore to this, signed, before the first second was counted. Billing began{' '}
                {it.active_at ? `at ${spellClock(it.active_at)}` : 'not yet'}.
              </p>
              <Facts
                rows={[
                  ['GPUs', `${counted(it.receipt.gpus, 'GPU')} proven with nvidia-smi`],
                  ['Driver', it.receipt.driver_version],
                  ['CUDA', it.receipt.cuda_version],
                  ['Proven', <Ago key="taken" at={it.receipt.taken_at} />],
                ]}
              />
            </Panel>
          )}
          <Panel title="Timeline">
            {problem ? (
              <Problem error={problem} />
            ) : (
              <ol className="grid gap-2">
                {[...timeline].reverse().map((item) => (
                  <li key={item.id} className="grid grid-cols-[5.5rem_1fr] gap-3">
                    <time dateTime={item.at} className="tabular text-sm leading-6 text-dim">
                      {spellClock(item.at)}
                    </time>
                    <span>{tellHappening(item)}</span>
                  </li>
                ))}
              </ol>
            )}
          </Panel>
        </div>
        <div className="grid grid-cols-1 gap-6">
          <Panel title="About">
            <Facts
              rows={[
                ['Id', <Copy key="id" text={it.id} label="the id" />],
                [
                  'Machine',
                  it.profile
                    ? `${counted(it.profile.vcpus, 'vCPU')}, ${spellMemory(it.profile.memory_mib)}`
                    : 'a whole host',
                ],
                ['Image', it.image ?? 'as it is'],
                ['Asked for', <Ago key="asked" at={it.created_at} />],
                ...(it.active_at && it.ended_at
                  ? ([['Ran for', spellDuration(Date.parse(it.ended_at) - Date.parse(it.active_at))]] as const)
                  : []),
                ...(it.release_reason ? ([['Released', it.release_reason]] as const) : []),
              ]}
            />
          </Panel>
          <Panel title="Guards">
            <Facts
              rows={[
                [
                  'Ends',
                  it.expires_at ? (
                    <Ago key="ends" at={it.expires_at} />
                  ) : it.max_duration_seconds ? (
                    `${spellDuration(it.max_duration_seconds * 1_000)} after it is ready`
                  ) : (
                    'when you give it back'
                  ),
                ],
                [
                  'Idle',
                  it.idle
                    ? `${it.idle.action === 'release' ? 'given back' : 'you are told'} after ${counted(it.idle.minutes, 'minute')}`
                    : 'it is kept',
                ],
              ]}
            />
            {action('extend')?.allowed && it.expires_at && (
              <div className="mt-3 flex flex-wrap gap-2">
                {[1, 3].map((hours) => (
                  <Button
                    key={hours}
                    busy={extend.isPending}
                    onClick={() => extend.mutate({ seconds: hours * 3_600, version: it.version })}
                  >
                    Keep {counted(hours, 'hour')} longer
                  </Button>
                ))}
              </div>
            )}
          </Panel>
        </div>
      </div>
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        title={`Release ${it.name}?`}
        verb="Release"
        danger
        busy={release.isPending}
        error={release.error}
        onConfirm={() => release.mutate(it.id)}
      >
        <p>Everything on the machine is lost: its disks are wiped, and nobody can bring them back.</p>
        <p>You stop paying the moment it is asked for.</p>
      </Confirm>
    </Page>
  );
}
