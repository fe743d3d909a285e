import type { AdminTerminalSession } from '@gpuaas/sdk';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../client/api.ts';
import { useAct, useList } from '../client/ask.ts';
import { useMay } from '../client/session.tsx';
import { Button } from '../parts/button.tsx';
import { SimulatedChip, StateChip } from '../parts/chip.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Filter } from '../parts/filter.tsx';
import { Page } from '../parts/page.tsx';
import { type Column, Rows } from '../parts/rows.tsx';
import { Empty } from '../parts/states.tsx';
import { TenantLink } from '../parts/tenant-link.tsx';
import { Ago } from '../parts/time.tsx';
import { shortId, spellBytes } from '../words/sizes.ts';

const columns: readonly Column<AdminTerminalSession>[] = [
  {
    head: 'Session',
    cell: (row) => (
      <span>
        <bdi className="font-medium">{row.name}</bdi>{' '}
        <span className="font-mono text-xs text-dim">{shortId(row.id)}</span> <SimulatedChip of={row} />
      </span>
    ),
  },
  { head: 'State', cell: (row) => <StateChip state={row.state} /> },
  { head: 'Tenant', cell: (row) => <TenantLink id={row.organization_id} /> },
  {
    head: 'Person',
    cell: (row) => (
      <Link to="/ops/people/$id" params={{ id: row.user_id }} className="text-accent underline">
        {shortId(row.user_id)}
      </Link>
    ),
  },
  {
    head: 'Node',
    cell: (row) => (
      <Link to="/ops/nodes/$id" params={{ id: row.node_id }} className="text-accent underline">
        {shortId(row.node_id)}
      </Link>
    ),
  },
  { head: 'Opened', cell: (row) => <Ago at={row.created_at} /> },
  {
    head: 'Ended',
    cell: (row) =>
      row.ended_at ? (
        <span>
          <Ago at={row.ended_at} /> <span className="text-dim">{row.end_reason?.replaceAll('_', ' ')}</span>
        </span>
      ) : (
        `${row.has_writer ? 'connected' : 'nobody connected'}${row.watchers > 0 ? `, ${row.watchers} watching` : ''}`
      ),
  },
  { head: 'Output', end: true, cell: (row) => (row.sent_bytes === null ? '' : spellBytes(row.sent_bytes)) },
];

/** Shells of all tenants, and a way to end one. What is typed in them is not shown. */
export function TerminalSessionsPage() {
  const search = useSearch({ strict: false }) as { live?: string };
  const navigate = useNavigate();
  const mayEnd = useMay()('admin_terminal_session_end');
  const [ending, setEnding] = useState<AdminTerminalSession>();
  const live = search.live === undefined ? undefined : search.live === 'true';
  const list = useList(
    ['terminal-sessions', 'all', search.live],
    (from, options) => api.adminTerminals.sessionList({ ...from, ...(live !== undefined && { live }) }, options),
    { everyMs: 10_000 },
  );
  const end = useAct(
    'end-terminal-by-operator',
    (input: { terminal_session_id: string; reason: string }, options) => api.adminTerminals.sessionEnd(input, options),
    { stale: ['terminal-sessions'], done: () => setEnding(undefined) },
  );
  return (
    <Page
      title="Terminal sessions"
      lead="Shells that people opened on their machines, latest first."
      actions={
        <Filter
          label="State"
          value={search.live}
          options={[
            ['true', 'running'],
            ['false', 'ended'],
          ]}
          onChoose={(next) => void navigate({ to: '/ops/terminal-sessions', search: next ? { live: next } : {} })}
        />
      }
      shown={{ operation: 'admin_terminal_session_list', input: live === undefined ? {} : { live } }}
    >
      <Rows
        label="Terminal sessions"
        list={list}
        keyOf={({ id }) => id}
        columns={[
          ...columns,
          {
            head: '',
            end: true,
            cell: (row) =>
              mayEnd &&
              row.state !== 'ended' && (
                <Button look="danger" onClick={() => setEnding(row)}>
                  End
                </Button>
              ),
          },
        ]}
        empty={<Empty icon="terminal" title="No terminal sessions" />}
      />
      <Confirm
        open={ending !== undefined}
        onClose={() => setEnding(undefined)}
        title={`End ${ending?.name}?`}
        verb="End the session"
        danger
        reason
        busy={end.isPending}
        error={end.error}
        onConfirm={(reason) => ending && end.mutate({ terminal_session_id: ending.id, reason })}
      >
        <p>The shell and the programs that run in it end. The person is shown that an operator ended it.</p>
      </Confirm>
    </Page>
  );
}
