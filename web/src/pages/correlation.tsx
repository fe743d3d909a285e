import type { Correlation, CorrelationMoment } from '@gpuaas/sdk';
import { Link, useParams, useRouterState } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../client/api.ts';
import { useAsk } from '../client/ask.ts';
import { StateChip } from '../parts/chip.tsx';
import { Copy } from '../parts/copy.tsx';
import { LogsPanel } from '../parts/logs/logs-panel.tsx';
import { RunbookLink } from '../parts/operators/runbook-link.tsx';
import { Page } from '../parts/page.tsx';
import { Empty, Loading, Problem } from '../parts/states.tsx';
import { runbookOfMoment } from '../words/health/runbooks.ts';
import { counted } from '../words/sizes.ts';
import { laneOf, lanes, laneWords, type StoryLane, spellOffset, tellMoment } from '../words/story.ts';
import { spellDuration, spellMoment } from '../words/time.ts';

const laneLooks: Readonly<Record<StoryLane, string>> = {
  api: 'border-accent',
  saga: 'border-ops',
  outbox: 'border-warn',
  node: 'border-ok',
  object: 'border-line',
};

/** Everything that one request caused: in the api, the outbox, the workers and on the hosts, in time order. */
export function CorrelationPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const operating = useRouterState({ select: ({ location }) => location.pathname.startsWith('/ops') });
  const story = useAsk(
    ['correlation', id, operating],
    (options): PromiseLike<Correlation> =>
      operating
        ? api.adminAudit.correlationGet({ correlation_id: id }, options)
        : api.activity.correlationGet({ correlation_id: id }, options),
    { everyMs: 15_000 },
  );
  const [hidden, setHidden] = useState<ReadonlySet<StoryLane>>(new Set());
  const moments = story.data?.moments.filter((moment) => !hidden.has(laneOf(moment)));
  return (
    <Page
      title="Request trace"
      lead={<Copy text={id} label="the correlation id" />}
      shown={{
        operation: operating ? 'admin_correlation_get' : 'correlation_get',
        input: { correlation_id: id },
      }}
    >
      {story.error && !story.data ? (
        <Problem error={story.error} again={() => void story.refetch()} />
      ) : !story.data || !moments ? (
        <div className="panel">
          <Loading rows={8} label="Loading the trace" />
        </div>
      ) : story.data.moments.length === 0 ? (
        <div className="panel">
          <Empty icon="search" title="Nothing found for this ID">
            <p>
              The request caused nothing, or its records are no longer kept
              {operating ? '.' : ', or it happened in another project.'}
            </p>
          </Empty>
        </div>
      ) : (
        <>
          <div className="flex flex-wrap items-center gap-2">
            <p className="me-auto text-dim">
              {counted(story.data.moments.length, 'moment')} within{' '}
              {spellDuration(Date.parse(story.data.ended_at ?? '') - Date.parse(story.data.began_at ?? ''))}, since{' '}
              {spellMoment(story.data.began_at ?? '')}
              {!story.data.is_whole && '; more records than one page holds'}
            </p>
            <fieldset className="flex flex-wrap gap-1.5">
              <legend className="sr-only">Where it happened</legend>
              {lanes.map((lane) => (
                <button
                  key={lane}
                  type="button"
                  aria-pressed={!hidden.has(lane)}
                  className={`rounded-full border px-3 py-1 text-sm ${hidden.has(lane) ? 'border-edge text-dim line-through' : 'border-line bg-paper'}`}
                  onClick={() =>
                    setHidden((known) => {
                      const next = new Set(known);
                      if (!next.delete(lane)) next.add(lane);
                      return next;
                    })
                  }
                >
                  {laneWords[lane]}
                </button>
              ))}
            </fieldset>
          </div>
          <ol className="panel divide-y divide-edge" aria-label="The trace, in time order">
            {moments.map((moment, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: moments are only ever added at the end
              <MomentRow key={index} moment={moment} beganAt={story.data.began_at ?? moment.at} operating={operating} />
            ))}
          </ol>
          {operating && (
            <LogsPanel
              title="Logs of hosts"
              about={id}
              nothing="No host has logged anything about this request."
              ask={(wanted, options) => api.adminLogs.nodeList({ correlation_id: id, ...wanted }, options)}
              follow={(wanted, options) => api.adminLogs.nodeStream({ correlation_id: id, ...wanted }, options)}
            />
          )}
        </>
      )}
    </Page>
  );
}

function MomentRow({ moment, beganAt, operating }: { moment: CorrelationMoment; beganAt: string; operating: boolean }) {
  const lane = laneOf(moment);
  const hasDetail = Object.keys(moment.detail).length > 0;
  return (
    <li className="grid grid-cols-[4.5rem_minmax(0,1fr)] gap-x-3 gap-y-1 px-4 py-2.5 sm:grid-cols-[5rem_6.5rem_minmax(0,1fr)_auto]">
      <time dateTime={moment.at} title={spellMoment(moment.at)} className="tabular pt-0.5 text-sm text-dim">
        {spellOffset(Date.parse(moment.at) - Date.parse(beganAt))}
      </time>
      <span className="max-sm:col-start-2">
        <span className={`rounded-md border-s-4 bg-sunk px-2 py-0.5 text-[13px] font-medium ${laneLooks[lane]}`}>
          {laneWords[lane]}
        </span>
      </span>
      <div className="min-w-0 max-sm:col-start-2">
        <p>{tellMoment(moment)}</p>
        <p className="flex flex-wrap items-center gap-x-2 text-sm text-dim">
          <code className="font-mono text-[13px]">{moment.name}</code>
          <Subject moment={moment} operating={operating} />
          {moment.took_ms !== null && <span>took {spellDuration(moment.took_ms)}</span>}
          {operating && <RunbookLink id={runbookOfMoment(moment)} />}
        </p>
        {hasDetail && (
          <details className="mt-1">
            <summary className="text-sm text-accent">Details</summary>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a block that scrolls must be reachable by keyboard */}
            <pre tabIndex={0} className="mt-1 max-h-72 overflow-auto rounded-lg bg-sunk p-3 font-mono text-[13px]">
              {JSON.stringify(moment.detail, undefined, 2)}
            </pre>
          </details>
        )}
      </div>
      <span className="max-sm:col-start-2 sm:justify-self-end">
        {moment.state && moment.state !== 'success' && <StateChip state={moment.state} />}
      </span>
    </li>
  );
}

/** A link to the object, where it has a page. */
function Subject({ moment, operating }: { moment: CorrelationMoment; operating: boolean }) {
  const link = 'text-accent underline-offset-2 hover:underline';
  const { subject_type: type, subject_id: id } = moment;
  if (type === 'node' && operating)
    return (
      <Link to="/ops/nodes/$id" params={{ id }} className={link}>
        the node
      </Link>
    );
  if (type === 'allocation')
    return operating ? (
      <Link to="/ops/allocations/$id" params={{ id }} className={link}>
        the allocation
      </Link>
    ) : (
      <Link to="/allocations/$id" params={{ id }} className={link}>
        the allocation
      </Link>
    );
  return null;
}
