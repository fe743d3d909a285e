import type { AccountSession } from '@gpuaas/sdk';
import { api } from '../../client/api.ts';
import { useAct, useList } from '../../client/ask.ts';
import { Button } from '../../parts/button.tsx';
import { Chip, StateChip } from '../../parts/chip.tsx';
import { Page } from '../../parts/page.tsx';
import { Rows } from '../../parts/rows.tsx';
import { Empty, Problem } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';

const nameOf = ({ device_label, browser, os }: AccountSession): string =>
  device_label ?? ([browser, os].filter(Boolean).join(' on ') || 'Unknown device');

export function SessionsPage() {
  const list = useList(['sessions'], (from, options) => api.sessions.list(from, options));
  const revoke = useAct(
    'session revoke',
    (session_id: string, options) => api.sessions.revoke({ session_id }, options),
    { stale: ['sessions'] },
  );
  const revokeOthers = useAct('session revoke others', (_: 'all', options) => api.sessions.revokeOthers({}, options), {
    stale: ['sessions'],
  });
  const error = revoke.error ?? revokeOthers.error;
  return (
    <Page
      title="Sign-in sessions"
      lead="Where you are signed in. End sessions that you do not recognize."
      actions={
        <Button look="danger" busy={revokeOthers.isPending} onClick={() => revokeOthers.mutate('all')}>
          End all other sessions
        </Button>
      }
      shown={{ operation: 'session_list', input: { limit: 50 } }}
    >
      {error && <Problem error={error} />}
      <Rows
        label="Sign-in sessions"
        list={list}
        keyOf={({ id }) => id}
        columns={[
          { head: 'Device', cell: (session) => <span className="font-medium">{nameOf(session)}</span> },
          { head: 'From', cell: (session) => session.ip_address ?? 'unknown' },
          { head: 'Signed in', cell: (session) => <Ago at={session.signed_in_at} /> },
          { head: 'Last seen', cell: (session) => <Ago at={session.last_seen_at} /> },
          {
            head: '',
            end: true,
            cell: (session) =>
              session.current ? (
                <Chip tone="ok">this session</Chip>
              ) : session.revoked_at ? (
                <StateChip state="ended" />
              ) : (
                <Button
                  look="danger"
                  busy={revoke.isPending && revoke.variables === session.id}
                  onClick={() => revoke.mutate(session.id)}
                >
                  End
                </Button>
              ),
          },
        ]}
        empty={<Empty icon="devices" title="No sessions" />}
      />
    </Page>
  );
}
