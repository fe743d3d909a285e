import { choices } from '@gpuaas/sdk/choices';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { api } from '../../client/api.ts';
import { useAct, useList } from '../../client/ask.ts';
import { Button } from '../../parts/button.tsx';
import { StateChip } from '../../parts/chip.tsx';
import { Filter } from '../../parts/filter.tsx';
import { Rows } from '../../parts/rows.tsx';
import { Empty, Problem } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';

/** Invitations in one state; those that wait for an answer unless the person asks for others. The server filters. */
export function Invitations({ organizationId }: { organizationId: string }) {
  const organization_id = organizationId;
  const { invitations: wanted } = useSearch({ strict: false }) as { invitations?: string };
  const navigate = useNavigate();
  const state = choices.invitation_list.state.find((each) => each === wanted) ?? 'pending';
  const list = useList(
    ['invitations', organization_id, state],
    (from, options) => api.members.invitationList({ organization_id, state, ...from }, options),
    { enabled: organization_id !== '' },
  );
  const takeBack = useAct(
    'invitation revoke',
    (invitation_id: string, options) => api.members.invitationRevoke({ organization_id, invitation_id }, options),
    { stale: ['invitations'] },
  );
  return (
    <section className="grid gap-3" aria-label="Invitations">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 className="text-lg font-semibold">Invitations</h2>
        <Filter
          label="State"
          any="pending"
          value={state === 'pending' ? undefined : state}
          options={choices.invitation_list.state.flatMap((each) => (each === 'pending' ? [] : [[each, each] as const]))}
          onChoose={(next) => void navigate({ to: '/team', replace: true, search: next ? { invitations: next } : {} })}
        />
      </div>
      {takeBack.error && <Problem error={takeBack.error} />}
      <Rows
        label="Invitations"
        list={list}
        keyOf={({ id }) => id}
        columns={[
          { head: 'Address', cell: (invitation) => <bdi className="font-medium">{invitation.email}</bdi> },
          { head: 'Role', cell: (invitation) => invitation.role },
          { head: 'State', cell: (invitation) => <StateChip state={invitation.state} /> },
          { head: 'Ends', cell: (invitation) => <Ago at={invitation.expires_at} /> },
          {
            head: '',
            end: true,
            cell: (invitation) =>
              invitation.state === 'pending' && (
                <Button
                  busy={takeBack.isPending && takeBack.variables === invitation.id}
                  onClick={() => takeBack.mutate(invitation.id)}
                >
                  Revoke
                </Button>
              ),
          },
        ]}
        empty={
          state === 'pending' ? (
            <Empty icon="mail" title="No open invitations">
              <p>Invite people by email. They join with the role that you choose.</p>
            </Empty>
          ) : (
            <Empty icon="mail" title={`No invitations are ${state}`} />
          )
        }
      />
    </section>
  );
}
