import type { TerminalSession } from '@gpuaas/sdk';
import { useState } from 'react';
import { api } from '../client/api.ts';
import { useAct, useAsk } from '../client/ask.ts';
import { useNames } from '../client/names.ts';
import { useSession } from '../client/session.tsx';
import { Button, ButtonLink } from '../parts/button.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Panel } from '../parts/page.tsx';
import { Problem } from '../parts/states.tsx';
import { Ago } from '../parts/time.tsx';

/** The shells that are open on a machine, whose they are, and a way into each. Nothing is shown while there are none. */
export function TerminalSessions({ allocationId }: { allocationId: string }) {
  const { me } = useSession();
  const nameOf = useNames();
  const [ending, setEnding] = useState<TerminalSession>();
  const sessions = useAsk(
    ['terminal-sessions', allocationId],
    (options) => api.terminals.sessionList({ allocation_id: allocationId, live: true, limit: 50 }, options),
    { everyMs: 10_000 },
  );
  const end = useAct(
    'end-terminal',
    (terminal_session_id: string, options) => api.terminals.sessionEnd({ terminal_session_id }, options),
    { stale: ['terminal-sessions'], done: () => setEnding(undefined) },
  );
  if (sessions.error) return <Problem error={sessions.error} again={() => void sessions.refetch()} />;
  const rows = sessions.data?.data ?? [];
  if (rows.length === 0) return null;
  return (
    <Panel title="Open terminals">
      <ul className="grid gap-2">
        {rows.map((row) => (
          <li key={row.id} className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <span className="min-w-0 grow">
              <bdi className="font-medium">{row.name}</bdi> of {row.user_id === me.id ? 'you' : nameOf(row.user_id)}
              <span className="text-dim">
                , opened <Ago at={row.created_at} />
                {row.has_writer ? ', connected' : ', nobody connected'}
                {row.watchers > 0 && `, ${row.watchers} watching`}
              </span>
            </span>
            <ButtonLink to="/allocations/$id/terminal" params={{ id: allocationId }} search={{ session: row.id }}>
              {row.user_id === me.id ? 'Open' : 'Watch'}
            </ButtonLink>
            <Button look="danger" onClick={() => setEnding(row)}>
              End
            </Button>
          </li>
        ))}
      </ul>
      <Confirm
        open={ending !== undefined}
        onClose={() => setEnding(undefined)}
        title={`End ${ending?.name}?`}
        verb="End the shell"
        danger
        busy={end.isPending}
        error={end.error}
        onConfirm={() => ending && end.mutate(ending.id)}
      >
        <p>The shell and the programs that run in it end.</p>
      </Confirm>
    </Panel>
  );
}
