import type { Member } from '@gpuaas/sdk';
import { useState } from 'react';
import { api } from '../client/api.ts';
import { useAct, useList } from '../client/ask.ts';
import { callName } from '../client/names.ts';
import { may, useSession } from '../client/session.tsx';
import { Button } from '../parts/button.tsx';
import { StateChip } from '../parts/chip.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Choice, TextField } from '../parts/field.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { Page } from '../parts/page.tsx';
import { Removal } from '../parts/removal.tsx';
import { Rows } from '../parts/rows.tsx';
import { Empty, Problem } from '../parts/states.tsx';
import { Ago } from '../parts/time.tsx';

type Role = Member['role'];
const roles: readonly (readonly [Role, string])[] = [
  ['finance', 'can see and pay the bills, and not what runs'],
  ['viewer', 'can see everything and change nothing'],
  ['member', 'can launch and release GPUs'],
  ['admin', 'can also manage people, projects and keys'],
  ['owner', 'can do everything, including deleting the organization'],
];

const article = (role: Role): string =>
  role === 'finance' ? 'a finance person' : `${role === 'admin' || role === 'owner' ? 'an' : 'a'} ${role}`;

/** The members of the organization and their roles. */
export function TeamPage() {
  const session = useSession();
  const organization = session.me.organizations.find(({ id }) => id === session.project?.organization_id);
  const organization_id = organization?.id ?? '';
  const enabled = organization_id !== '';
  const mayChange = may(session, 'member_update');
  const members = useList(
    ['members', organization_id],
    (from, options) => api.members.list({ organization_id, ...from }, options),
    { enabled },
  );
  const invitations = useList(
    ['invitations', organization_id],
    (from, options) => api.members.invitationList({ organization_id, ...from }, options),
    { enabled: enabled && mayChange },
  );
  const [inviting, setInviting] = useState(false);
  const [going, setGoing] = useState<Member>();
  const [changing, setChanging] = useState<{ readonly member: Member; readonly role: Role }>();
  const change = useAct(
    'member role',
    (input: { user_id: string; role: Role }, options) => api.members.update({ organization_id, ...input }, options),
    { stale: ['members'], done: () => setChanging(undefined) },
  );
  const takeBack = useAct(
    'invitation revoke',
    (invitation_id: string, options) => api.members.invitationRevoke({ organization_id, invitation_id }, options),
    { stale: ['invitations'] },
  );
  const error = takeBack.error;
  const endChange = () => {
    change.reset();
    setChanging(undefined);
  };
  return (
    <Page
      title="Team"
      lead={organization ? `Members of ${organization.name} and their roles.` : undefined}
      actions={
        mayChange && (
          <Button look="primary" icon="plus" onClick={() => setInviting(true)}>
            Invite
          </Button>
        )
      }
      shown={{ operation: 'member_list', input: { organization_id } }}
    >
      {error && <Problem error={error} />}
      <Rows
        label="Members"
        list={members}
        keyOf={({ user_id }) => user_id}
        columns={[
          {
            head: 'Person',
            cell: (member) => (
              <span className="font-medium">
                <bdi>{callName(member)}</bdi>
                {member.user_id === session.me.id && <span className="font-normal text-dim"> (you)</span>}
                <span className="block font-mono text-xs font-normal text-dim">{member.username}</span>
              </span>
            ),
          },
          {
            head: 'Role',
            cell: (member) =>
              mayChange && member.user_id !== session.me.id ? (
                <select
                  aria-label={`Role of ${callName(member)}`}
                  className="field w-auto"
                  value={member.role}
                  onChange={(event) => setChanging({ member, role: event.target.value as Role })}
                >
                  {roles.map(([role]) => (
                    <option key={role}>{role}</option>
                  ))}
                </select>
              ) : (
                member.role
              ),
          },
          { head: 'Since', cell: (member) => <Ago at={member.created_at} /> },
          {
            head: '',
            end: true,
            cell: (member) =>
              mayChange &&
              member.user_id !== session.me.id && (
                <Button look="danger" aria-label={`Remove ${callName(member)}`} onClick={() => setGoing(member)}>
                  Remove
                </Button>
              ),
          },
        ]}
        empty={<Empty icon="team" title="No members" />}
      />
      {mayChange && (
        <section className="grid gap-3" aria-label="Invitations">
          <h2 className="text-lg font-semibold">Invitations</h2>
          <Rows
            label="Invitations"
            list={{ ...invitations, rows: invitations.rows?.filter(({ state }) => state !== 'accepted') }}
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
              <Empty icon="mail" title="No open invitations">
                <p>Invite people by email. They join with the role that you choose.</p>
              </Empty>
            }
          />
        </section>
      )}
      <Confirm
        open={changing !== undefined}
        title={changing ? `Make ${callName(changing.member)} ${article(changing.role)}?` : ''}
        verb="Change role"
        danger={changing?.role === 'owner' || changing?.role === 'admin'}
        busy={change.isPending}
        error={change.error}
        onConfirm={() => changing && change.mutate({ user_id: changing.member.user_id, role: changing.role })}
        onClose={endChange}
      >
        <p>
          {changing &&
            `Now ${changing.member.role}. ${article(changing.role)[0]?.toUpperCase()}${article(changing.role).slice(1)} ${roles.find(([name]) => name === changing.role)?.[1]}.`}
        </p>
      </Confirm>
      {inviting && <Invite organizationId={organization_id} onClose={() => setInviting(false)} />}
      <Removal
        it={going}
        name="member remove"
        title={(member) => `Remove ${callName(member)}?`}
        verb="Remove"
        act={({ user_id }, options) => api.members.remove({ organization_id, user_id }, options)}
        stale={['members']}
        onClose={() => setGoing(undefined)}
      >
        <p>They lose access to every project of the organization immediately. Their allocations continue.</p>
      </Removal>
    </Page>
  );
}

function Invite({ organizationId, onClose }: { organizationId: string; onClose(): void }) {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('member');
  const invite = useAct(
    'invite',
    (input: { email: string; role: Role }, options) =>
      api.members.invitationCreate({ organization_id: organizationId, ...input }, options),
    { stale: ['invitations'], done: onClose },
  );
  return (
    <FormDialog
      title="Invite a person"
      lead="They get an email with a link."
      verb="Invite"
      busy={invite.isPending}
      error={invite.error}
      onClose={onClose}
      onSubmit={() => invite.mutate({ email: email.trim(), role })}
    >
      <TextField label="E-mail address" type="email" required maxLength={254} value={email} onChange={setEmail} />
      <Choice
        label="Role"
        hint={`${article(role)[0]?.toUpperCase()}${article(role).slice(1)} ${roles.find(([name]) => name === role)?.[1]}.`}
        value={role}
        options={roles.map(([name]) => [name, name])}
        onChoose={(name) => setRole(name as Role)}
      />
    </FormDialog>
  );
}
