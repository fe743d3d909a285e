import type { Workflow } from '@gpuaas/sdk';
import { choices } from '@gpuaas/sdk/choices';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { api } from '../../client/api.ts';
import { useAsk } from '../../client/ask.ts';
import { StateChip } from '../../parts/chip.tsx';
import { CorrelationId } from '../../parts/correlation.tsx';
import { Page } from '../../parts/page.tsx';
import { type Column, Rows, wholeList } from '../../parts/rows.tsx';
import { Empty } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { plainWord, shortId } from '../../words/sizes.ts';

const states = choices.workflow_list.state;

/** Workflow runs: their position, and why they ended. */
export function WorkflowsPage() {
  const search = useSearch({ strict: false }) as { state?: string; workflow?: string; run?: string };
  const navigate = useNavigate();
  const state = states.find((each) => each === search.state);
  const wanted = {
    limit: 100,
    ...(state && { state }),
    ...(search.workflow && { workflow: search.workflow }),
    ...(search.run && { run_id: search.run }),
  };
  const list = useAsk(['workflows', wanted], (options) => api.adminWorkflows.list(wanted, options), {
    everyMs: 30_000,
    keep: true,
  });
  const names = [
    ...new Set(list.data?.data.map(({ workflow }) => workflow) ?? []),
    ...(search.workflow ? [search.workflow] : []),
  ];
  const go = (next: typeof search) =>
    void navigate({
      to: '/ops/workflows',
      replace: true,
      search: Object.fromEntries(Object.entries({ ...search, ...next }).filter(([, value]) => value)),
    });
  return (
    <Page
      title="Workflows"
      lead="Multi-step operations, newest first. When a step fails, the steps before it are rolled back."
      actions={
        <>
          <select
            aria-label="Workflow"
            className="field w-auto"
            value={search.workflow ?? ''}
            onChange={(event) => go({ workflow: event.target.value })}
          >
            <option value="">any workflow</option>
            {[...new Set(names)].sort().map((workflow) => (
              <option key={workflow}>{workflow}</option>
            ))}
          </select>
          <select
            aria-label="State"
            className="field w-auto"
            value={state ?? ''}
            onChange={(event) => go({ state: event.target.value })}
          >
            <option value="">any state</option>
            {states.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
          <input
            type="search"
            aria-label="Id of the object"
            placeholder="Id of the object"
            className="field w-64"
            maxLength={200}
            value={search.run ?? ''}
            onChange={(event) => go({ run: event.target.value.trim() })}
          />
        </>
      }
      shown={{ operation: 'workflow_list', input: wanted }}
    >
      <Rows
        label="Workflows"
        list={wholeList(list)}
        keyOf={({ workflow, run_id }) => `${workflow} ${run_id}`}
        columns={columns}
        empty={<Empty icon="clock" title={state === 'stuck' ? 'Nothing is stuck' : 'No runs match'} />}
      />
    </Page>
  );
}

const columns: readonly Column<Workflow>[] = [
  {
    head: 'Workflow',
    cell: (run) => (
      <span>
        <Link
          to="/ops/workflows/$workflow/$id"
          params={{ workflow: run.workflow, id: run.run_id }}
          className="font-mono text-[13px] font-semibold text-accent underline-offset-2 hover:underline"
        >
          {run.workflow}
        </Link>
        <span className="block font-mono text-xs text-dim">{shortId(run.run_id)}</span>
      </span>
    ),
  },
  { head: 'State', cell: (run) => <StateChip state={run.state} /> },
  {
    head: 'Step',
    cell: (run) => (
      <span>
        {run.step ? plainWord(run.step) : '—'}
        {run.reason && <span className="line-clamp-2 text-sm text-dim">{run.reason}</span>}
      </span>
    ),
  },
  { head: 'Began', cell: (run) => <Ago at={run.began_at} /> },
  { head: 'Ended', cell: (run) => (run.ended_at ? <Ago at={run.ended_at} /> : '—') },
  { head: 'Trace', end: true, cell: (run) => run.correlation_id && <CorrelationId id={run.correlation_id} /> },
];
