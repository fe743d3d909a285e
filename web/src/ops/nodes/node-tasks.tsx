import { choices } from '@gpuaas/sdk/choices';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { api } from '../../client/api.ts';
import { useList } from '../../client/ask.ts';
import { StateChip } from '../../parts/chip.tsx';
import { CorrelationId } from '../../parts/correlation.tsx';
import { Filter, WordFilter } from '../../parts/filter.tsx';
import { Rows } from '../../parts/rows.tsx';
import { Empty } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { plainWord } from '../../words/sizes.ts';
import { spellDuration } from '../../words/time.ts';

const states = choices.node_task_list.state;

/** The tasks of one node, newest first. */
export function NodeTasks({ nodeId }: { nodeId: string }) {
  const search = useSearch({ strict: false }) as { task?: string; q?: string };
  const navigate = useNavigate();
  const state = states.find((each) => each === search.task);
  const q = search.q?.trim();
  const list = useList(
    ['nodes', nodeId, 'tasks', state, q],
    (from, options) =>
      api.adminNodes.taskList({ node_id: nodeId, ...from, ...(state && { state }), ...(q && { q }) }, options),
    { everyMs: 15_000, limit: 20 },
  );
  const go = (next: { readonly task?: string | undefined; readonly q?: string | undefined }) =>
    void navigate({
      to: '/ops/nodes/$id',
      params: { id: nodeId },
      replace: true,
      resetScroll: false,
      search: Object.fromEntries(Object.entries({ ...search, ...next }).filter(([, value]) => value)),
    });
  return (
    <section className="grid gap-3" aria-label="Tasks">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h2 className="text-lg font-semibold">Tasks</h2>
        <div className="flex flex-wrap gap-3">
          <WordFilter
            label="Search tasks"
            placeholder="Task or allocation ID"
            value={search.q}
            onChange={(next) => go({ q: next })}
          />
          <Filter
            label="State"
            value={state}
            options={states.map((each) => [each, plainWord(each)])}
            onChoose={(next) => go({ task: next })}
          />
        </div>
      </div>
      <Rows
        label="Tasks"
        list={list}
        keyOf={({ id }) => id}
        columns={[
          { head: 'Task', cell: (task) => <code className="font-mono text-[13px]">{task.task_type}</code> },
          {
            head: 'State',
            cell: (task) => (
              <span>
                <StateChip state={task.state} />
                {task.failure_code && <span className="block text-sm text-bad">{plainWord(task.failure_code)}</span>}
              </span>
            ),
          },
          {
            head: 'Allocation',
            cell: (task) =>
              task.allocation_id ? (
                <Link
                  to="/ops/allocations/$id"
                  params={{ id: task.allocation_id }}
                  className="text-accent underline underline-offset-2"
                >
                  Open
                </Link>
              ) : (
                '—'
              ),
          },
          {
            head: 'Duration',
            end: true,
            cell: (task) =>
              task.finished_at ? spellDuration(Date.parse(task.finished_at) - Date.parse(task.issued_at)) : '—',
          },
          { head: 'Issued', end: true, cell: (task) => <Ago at={task.issued_at} /> },
          { head: 'Trace', end: true, cell: (task) => <CorrelationId id={task.correlation_id} /> },
        ]}
        empty={<Empty icon="clock" title={state || q ? 'No tasks match' : 'No tasks yet'} />}
      />
    </section>
  );
}
